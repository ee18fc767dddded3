"""The functions of `runahead` and of the device module `torch.acpu`."""

import unittest

import torch

import runahead
from gate import held_worker


class Settings(unittest.TestCase):
    def tearDown(self):
        runahead.set_limit()
        runahead.configure(workers=1, ready_order="oldest_first", allocation="at_execution", intra_op_threads=1)

    def assert_refused(self, error, call, **wrong):
        for name, values in wrong.items():
            for value in values:
                words = f"^{name} must be .*, but is " if error is ValueError else ""
                with self.subTest(name, value=value), self.assertRaisesRegex(error, words):
                    call(**{name: value})

    def test_limits_are_numbers_and_sizes_as_configs_write_them(self):
        runahead.set_limit(operations=4, bytes="256MiB", seconds="500ms")
        runahead.set_limit(bytes=1e9, seconds=0.5)
        runahead.set_limit()
        self.assert_refused(ValueError, runahead.set_limit, operations=(0, 2 ** 70), seconds=(0, "soon", float("inf")),
                            bytes=("1XB", -1, float("nan"), 1.5, "0"))
        self.assert_refused(TypeError, runahead.set_limit, operations=(1.5, True, "1"), bytes=([1],), seconds=(True,))

    def test_a_refused_limit_changes_nothing(self):
        runahead.set_limit(operations=1)
        with self.assertRaises(ValueError):
            runahead.set_limit(operations=1000, seconds=-1)
        x = torch.zeros(8, device="acpu")
        for _ in range(50):
            x += 1
            self.assertLessEqual(runahead.backlog()["operations"], 1)

    def test_configure_keeps_tensors_valid_and_results_equal(self):
        a = torch.randn(64, 64, generator=torch.Generator().manual_seed(0))
        expected = (a @ a).relu().sum(0)
        x = a.to("acpu")
        for setting in ({"workers": 2}, {"ready_order": "first_ready"}, {"allocation": "at_issue"}, {"workers": 0},
                        {"workers": 2, "allocation": "in_stream_order"},
                        {"workers": 2, "allocation": "caching"},
                        {"workers": 3, "allocation": "at_execution", "intra_op_threads": 2}):
            with self.subTest(setting):
                runahead.configure(**setting)
                torch.testing.assert_close((x @ x).relu().sum(0).cpu(), expected, rtol=0, atol=0)

    def test_configure_refuses_what_is_not_a_setting(self):
        self.assert_refused(ValueError, runahead.configure, workers=(-1, 257), ready_order=("lifo",), allocation=(3,),
                            intra_op_threads=(0,), products=("mkl",), host_copies=("pinned",))
        with self.assertRaises(TypeError):
            runahead.configure(2)
        with self.assertRaisesRegex(ValueError, "^freed_memory: found kept with allocation caching, which keeps memory itself; allowed: returned$"):
            runahead.configure(allocation="caching", freed_memory="kept")

    def test_settings_of_the_caching_allocator_are_refused_without_it_and_end_with_it(self):
        for setting in ({"allocator": "expandable_segments:True"}, {"capacity": "1MiB"}):
            words = f"^{next(iter(setting))}: found with allocation (at_execution|at_issue), .*; allowed: with allocation caching"
            for other in ({}, {"allocation": "at_issue"}):
                with self.subTest(setting, other=other), self.assertRaisesRegex(ValueError, words):
                    runahead.configure(**setting, **other)
        self.addCleanup(runahead.configure, allocation="at_execution")
        runahead.configure(allocation="caching", capacity="1MiB")
        runahead.configure(allocator="max_split_size_mb:64")  # Keeps the capacity.
        with self.assertRaises(torch.OutOfMemoryError):
            torch.ones(1 << 20, device="acpu")
        for allocation in ("at_execution", "caching"):
            runahead.configure(allocation=allocation)
            self.assertEqual(torch.ones(1 << 20, device="acpu").sum().item(), 1 << 20)


class Counters(unittest.TestCase):
    def setUp(self):
        runahead.synchronize()
        runahead.reset_peaks()

    def test_memory_stats_has_every_figure_and_its_peak(self):
        stats = runahead.memory_stats()
        kinds = ("live", "allocated", "freed_in_flight", "reserved", "promised", "held", "committed")
        self.assertEqual(set(stats), {f"{kind}{peak}_bytes" for kind in kinds for peak in ("", "_peak")})

    def test_operators_whose_shapes_depend_on_values_are_named_as_blocking(self):
        x = torch.tensor([0.0, 1.0, 2.0], device="acpu")
        x.nonzero()
        x.nonzero()
        self.assertEqual(runahead.blocking_operators(), {"aten::nonzero": 2})


class DeviceModule(unittest.TestCase):
    def test_torch_knows_the_device(self):
        self.assertTrue(torch.acpu.is_available() and torch.ones(2).acpu().is_acpu)
        self.assertEqual((torch.acpu.device_count(), torch.acpu.current_device()), (1, 0))
        self.assertEqual(torch.accelerator.current_accelerator(), torch.device("acpu"))
        torch.acpu.set_device(0)
        torch.acpu.synchronize("acpu:0")
        with torch.acpu.device(0):
            pass
        for wrong in (1, "acpu:1", "cpu", torch.device("meta")):
            with self.subTest(wrong), self.assertRaisesRegex(ValueError, "there is one device, acpu:0"):
                torch.acpu.set_device(wrong)

    def test_seeds_draw_the_numbers_of_the_cpu(self):
        for seeded in (torch.manual_seed, torch.acpu.manual_seed, torch.acpu.manual_seed_all):
            with held_worker():
                seeded(7)
                drawn = torch.randn(100, device="acpu")
            self.assertTrue(torch.equal(drawn.cpu(), torch.randn(100, generator=torch.Generator().manual_seed(7))))
        self.assertEqual(torch.acpu.initial_seed(), 7)

    def test_the_default_generators_state_is_kept_and_restored(self):
        state = torch.acpu.get_rng_state()
        first = torch.rand(10, device="acpu")
        torch.acpu.set_rng_state(state)
        self.assertTrue(torch.equal(first, torch.rand(10, device="acpu")))
        with torch.random.fork_rng(device_type="acpu"):
            inside = torch.rand(10, device="acpu")
        self.assertTrue(torch.equal(inside, torch.rand(10, device="acpu")))

    def test_memory_is_reported_as_for_other_devices(self):
        x = torch.ones(1000, device="acpu")
        runahead.synchronize()
        self.assertGreaterEqual(torch.acpu.memory_allocated(), x.nbytes)
        self.assertGreaterEqual(torch.acpu.max_memory_allocated(), torch.acpu.memory_allocated())
        self.assertGreaterEqual(torch.accelerator.memory_allocated(), x.nbytes)
        torch.acpu.empty_cache()
        torch.acpu.reset_peak_memory_stats()
        self.assertEqual(torch.acpu.max_memory_allocated(), torch.acpu.memory_allocated())


if __name__ == "__main__":
    unittest.main()
