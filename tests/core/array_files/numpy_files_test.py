"""Files that numpy wrote, and others of every type, read by core/array_files. ARRAY_PRINT names the program that prints an array.

Exits with 77 where numpy is missing.
"""

import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
except ImportError:
    print("no numpy here")
    sys.exit(77)

# In the order of array_files::ElementType.
TYPES = ["?", "u1", "i1", "i2", "i4", "i8", "f2", None, "f4", "f8"]
IDX_TYPES = {0x08: "u1", 0x09: "i1", 0x0B: "i2", 0x0C: "i4", 0x0D: "f4", 0x0E: "f8"}
SAFETENSORS_TYPES = ["BOOL", "U8", "I8", "I16", "I32", "I64", "F16", "BF16", "F32", "F64"]
SHAPES = [(), (0,), (7,), (3, 4), (2, 3, 5)]


def arrays():
    random = numpy.random.default_rng(0)
    for code in filter(None, TYPES):
        for shape in SHAPES:
            values = random.integers(0, 100, shape).astype(code)
            for order in "CF":
                yield numpy.asarray(values, order=order)
                yield numpy.asarray(values, order=order).astype(numpy.dtype(code).newbyteorder(">"))


class NumpyFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "arrays"

    def run_reader(self, name):
        return subprocess.run([os.environ["ARRAY_PRINT"], self.path, name], capture_output=True, text=True, check=False)

    def assert_reads(self, array, name=""):
        done = self.run_reader(name)
        self.assertEqual(done.returncode, 0, done.stderr)
        head, _, elements = done.stdout.partition("\n")
        code, *shape = map(int, head.split())
        native = array.astype(array.dtype.newbyteorder("="))
        self.assertEqual(numpy.dtype(TYPES[code]), native.dtype)
        self.assertEqual(tuple(shape), array.shape)
        self.assertEqual(elements, native.tobytes().hex())

    def test_npy_of_every_type_order_and_version(self):
        for array in arrays():
            for version in ((1, 0), (2, 0), (3, 0)):
                with self.subTest(dtype=array.dtype, shape=array.shape, version=version):
                    with self.path.open("wb") as file:
                        numpy.lib.format.write_array(file, array, version)
                    self.assert_reads(array)

    def test_npz_stored_and_deflated(self):
        named = {f"array_{index}": array for index, array in enumerate(arrays())}
        for save in (numpy.savez, numpy.savez_compressed):
            with self.path.open("wb") as file:
                save(file, **named)
            for name, array in list(named.items())[::7]:
                with self.subTest(save=save.__name__, name=name):
                    self.assert_reads(array, name)
            self.assertIn("array_1", self.run_reader("aray_1").stderr)

    def test_idx_of_every_type_plain_and_in_gzip(self):
        for number, code in IDX_TYPES.items():
            for shape in SHAPES[1:]:
                array = numpy.arange(numpy.prod(shape)).reshape(shape).astype(f">{code}")
                content = bytes([0, 0, number, len(shape)]) + numpy.array(shape, ">u4").tobytes() + array.tobytes()
                for written in (content, gzip.compress(content)):
                    with self.subTest(dtype=code, shape=shape):
                        self.path.write_bytes(written)
                        self.assert_reads(array)

    def test_safetensors_of_every_type(self):
        for code, name in enumerate(SAFETENSORS_TYPES):
            array = numpy.arange(6).reshape(2, 3).astype(TYPES[code] or "u2")
            header = json.dumps({"a": {"dtype": name, "shape": array.shape, "data_offsets": [0, array.nbytes]}})
            self.path.write_bytes(len(header).to_bytes(8, "little") + header.encode() + array.tobytes())
            with self.subTest(dtype=name):
                self.assertEqual(self.run_reader("").stdout, f"{code} 2 3\n{array.tobytes().hex()}")

    def test_objects_are_refused(self):
        with self.path.open("wb") as file:
            numpy.save(file, numpy.array([{}], dtype=object), allow_pickle=True)
        self.assertIn("pickled Python", self.run_reader("").stderr)


if __name__ == "__main__":
    unittest.main()
