"""Files that numpy wrote, read by core/array_files. ARRAY_PRINT names the program that prints an array.

Exits with 77 where numpy is missing.
"""

import gzip
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

    def test_idx_in_gzip(self):
        array = numpy.arange(24, dtype="u1").reshape(2, 3, 4)
        content = bytes([0, 0, 8, 3]) + b"".join(size.to_bytes(4, "big") for size in array.shape) + array.tobytes()
        self.path.write_bytes(gzip.compress(content))
        self.assert_reads(array)

    def test_objects_are_refused(self):
        with self.path.open("wb") as file:
            numpy.save(file, numpy.array([{}], dtype=object), allow_pickle=True)
        self.assertIn("pickled", self.run_reader("").stderr)


if __name__ == "__main__":
    unittest.main()
