"""What is said of files that core/array_files does not read, and files that no numpy writes.

ARRAY_PRINT names the program that prints an array, or why it cannot.
"""

import gzip
import json
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest
import zlib


def npy(dictionary, elements=b"ab", version=b"\1\0"):
    header = dictionary.encode() + b"\n"
    return b"\x93NUMPY" + version + struct.pack("<H", len(header)) + header + elements


def dictionary(descr="'|u1'", shape="(2,)", order="False"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}}}"


def idx(sizes, elements, code=8):
    return bytes([0, 0, code, len(sizes)]) + struct.pack(f">{len(sizes)}I", *sizes) + elements


def safetensors(header, data=b"abcd"):
    return struct.pack("<Q", len(header)) + header.encode() + data


def tensor(dtype, shape, begin, end, **more):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end], **more}


def entry(name="a.npy", content=npy(dictionary()), method=0, flags=0, size=None, checksum=None):
    """A file of a zip archive; `size` and `checksum` are what the archive says of it."""
    data = content if method != 8 else zlib.compress(content, wbits=-15)
    size = len(content) if size is None else size
    checksum = zlib.crc32(content) if checksum is None else checksum
    about = (20, flags, method, 0, checksum, len(data), size, len(name), 0)
    return name.encode(), struct.pack("<3H4L2H", *about), data


def zipped(*entries):
    archive, directory = b"", b""
    for name, about, data in entries:
        directory += b"PK\1\2\x14\0" + about + bytes(10) + struct.pack("<L", len(archive)) + name
        archive += b"PK\3\4" + about + name + data
    counts = struct.pack("<2H2LH", len(entries), len(entries), len(directory), len(archive), 0)
    return archive + directory + b"PK\5\6" + bytes(4) + counts


class DamagedFiles(unittest.TestCase):
    def read(self, content, name=""):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "file"
            path.write_bytes(content)
            command = [os.environ["ARRAY_PRINT"], path, name]
            return subprocess.run(command, capture_output=True, text=True, check=False)

    def assert_reads(self, elements, content, name=""):
        done = self.read(content, name)
        self.assertEqual(done.stdout.split("\n")[1], elements.hex(), done.stderr)

    def assert_refused(self, words, content, name=""):
        with self.subTest(words):
            done = self.read(content, name)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(words, done.stderr)

    def test_npy_with_its_keys_in_any_order_and_spaces_anywhere(self):
        for text in ("{'shape': (2,), 'descr': '|u1', 'fortran_order': False}",
                     '{"shape":(2,),"descr":"|u1","fortran_order":True}     ',
                     "{ 'fortran_order' : False , 'shape' : ( 2 , ) , 'descr' : '<u1' , }",
                     "{'descr': '=u1', 'fortran_order': False, 'shape': (2,), }",
                     "{'descr': 'u1', 'fortran_order': False, 'shape': (2L,), }"):
            with self.subTest(text):
                self.assert_reads(b"ab", npy(text))

    def test_npy_with_another_dictionary(self):
        whole = {
            "": "header at byte 10, as JSON, line 1, column 1: not valid JSON: there is no text",
            "[1]": "header at byte 10: found an array; allowed: an object",
            dictionary(order="false or 1"): "as JSON, line 1, column 41: not valid JSON",
            "{'descr': '|u1', 'fortran_order': False}": "/shape: is missing",
            "{}": "/descr: is missing",
            "{'descr': '|u1', 'descr': '|u1'}": "/descr: the key is given more than once",
            "{'descr': '|u1', 'order': 'C'}": '/order: unknown key; allowed: "descr", ',
            "{'descr': '|u1' 'fortran_order': False}": "a comma or a colon is missing before it",
            "{'descr: 1}": "not valid JSON",
            "{'de\\x73cr': '|u1'}": "not valid JSON",
            dictionary() + " or exit()": "there is text after the end of the document",
            dictionary(order="1"): "/fortran_order: found 1; allowed: ",
        }
        types = {
            "'<u2'": '/descr: found "<u2"; allowed: b1, u1, i1, i2, i4, i8, f2, f4, f8',
            "'|i4'": 'found "|i4"', "'<F4'": 'found "<F4"',
            "'<c8'": 'found "<c8"', "'<U5'": 'found "<U5"', "'<'": 'found "<"',
            "''": 'found ""', "[('x', '<f4')]": "/descr: found an array",
            "'|O'": 'found "|O"; allowed: b1, ',
        }
        shapes = {
            "2": "/shape: found 2; allowed: an array of 0 to 32",
            "(-2,)": "/shape/0: found -2; allowed: an integer from 0", "(2 3)": "not valid JSON",
            "(9223372036854775808,)": "allowed: an integer from 0 to 9223372036854775807",
            "(4611686018427387904, 4, 4)": "byte 10: found the shape (4611686018427387904, 4, 4) "
                "of elements of 1 byte; allowed: at most 1,099,511,627,776 bytes in total",
            "(0, 4611686018427387904)": "in total",
            f"({33 * '1,'})": "/shape: found an array of 33; allowed: an array of 0 to 32",
        }
        for text, words in ([*whole.items()] + [(dictionary(key), types[key]) for key in types]
                            + [(dictionary(shape=key), shapes[key]) for key in shapes]):
            self.assert_refused(words, npy(text))

    def test_npy_whose_header_is_none_or_whose_elements_do_not_fit(self):
        good = npy(dictionary())
        for at, changed, words in (
                (6, b"\4\0", "byte 6: found format 4.0 of .npy; allowed: 1.0, 2.0, 3.0"),
                (6, b"\1\1", "byte 6: found format 1.1"),
                (8, b"\xff\xff", "byte 8: found a header of 65535 bytes; allowed: at most 65526"),
                (6, b"\2\0\xff\xff\xff\xff", "byte 8: found a header of 4294967295 bytes")):
            self.assert_refused(words, good[:at] + changed + good[at + len(changed):])
        self.assert_refused("byte 9: found the end", good[:9])
        self.assert_refused("byte 40: found the end; allowed: a header", good[:40])
        header = npy(dictionary("'<i2'", "(2, 3)"), b"")
        for count, words in ((11, "11 bytes of elements; allowed: 12 bytes, as the header says"),
                             (13, "13 bytes of elements"), (0, "0 bytes of elements")):
            self.assert_refused(f"byte {len(header)}: found {words}", header + bytes(count))
        header = npy(dictionary("'|b1'", "(3,)"), b"")
        self.assert_refused(f"byte {len(header) + 2}: found 2 in an array of bools; allowed: 0 and",
                            header + b"\1\0\2")

    def test_idx(self):
        for content, words in (
                (b"\0\0\x08", "byte 0: found 00 00 08; allowed: IDX"),
                (b"\0\0\7\1", "byte 2: found the type 07; allowed: 08 (uint8), 09 (int8)"),
                (idx([], b""), "byte 3: found 0 dimensions; allowed: 1 to 32"),
                (idx([0] * 33, b""), "byte 3: found 33 dimensions; allowed: 1 to 32"),
                (idx([1, 2], b"")[:9], "byte 9: found the end; allowed: sizes of 2 dimensions up "),
                (idx([2**32 - 1] * 3, b""), "byte 4: found the shape (4294967295, 4294967295, "),
                (idx([3], b"ab"), "byte 8: found 2 bytes of elements; allowed: 3 bytes"),
                (idx([3], b"abcd"), "byte 8: found 4 bytes of elements; allowed: 3 bytes")):
            self.assert_refused(words, content)

    def test_gzip(self):
        elements = bytes(number % 251 for number in range(300_000))
        content = idx([1000, 300], elements)
        self.assert_reads(elements, gzip.compress(content))
        members = [gzip.compress(content[:100_000]), gzip.compress(content[100_000:])]
        self.assert_reads(elements, b"".join(members))
        good = gzip.compress(idx([4], b"abcd"))
        for ignored in (b"more", b"\x1f"):
            self.assert_reads(b"abcd", good + ignored)
        for missing in range(1, 9):
            self.assert_refused("cannot be inflated: unexpected end of file", gzip.compress(content)[:-missing])
        damaged = good[:-8] + bytes([good[-8] ^ 1]) + good[-7:]
        for changed, words in (
                (good[:-1], "cannot be inflated: unexpected end of file; allowed: data that is wh"),
                (damaged, "cannot be inflated: incorrect data check; allowed: "),
                (gzip.compress(idx([10**6, 10**6], b"a")),
                 "byte 12: found 1,000,000,000,000 bytes of elements, as the header says;")):
            self.assert_refused(words, changed)
        for inflated, words in (
                (npy(dictionary()), "byte 0: found 93 4E 55 4D; allowed: IDX"),
                (b"", "byte 0: found the end; allowed: IDX"),
                (idx([], b""), "byte 3: found 0 dimensions; allowed: 1 to 32"),
                (idx([3], b"ab"), "byte 8: found 2 bytes of elements; allowed: 3 bytes"),
                (idx([3], b"abcd"), "byte 8: found more than 3 bytes of elements; allowed: 3")):
            self.assert_refused("inflated: " + words, gzip.compress(inflated))

    def test_npz_lists_its_names_the_nearest_first(self):
        three = zipped(*(entry(f"{name}.npy") for name in ("labels", "images", "weights")))
        many = zipped(*(entry(f"part_{number}.npy") for number in range(25)))
        for content, name, words in (
                (three, "image", 'the name "image"; allowed: "images", "labels", "weights"'),
                (three, "", 'no name of one of its 3 arrays; allowed: "labels", "images", "weig'),
                (three, "images.npy", 'allowed: "images"'),
                (many, "part_240", 'allowed: "part_20", "part_24"'),
                (many, "part_240", " and 5 more\n"),
                (zipped(entry(), entry()), "a", 'several arrays of the name "a"; allowed: one')):
            self.assert_refused(words, content, name)

    def test_npz(self):
        method = zipped(entry(method=14))
        place = method.index(b"PK\1\2")
        inflating = npy(dictionary(shape="(1000000000,)"))
        good, deflated = zipped(entry()), zipped(entry(method=8))
        for content, words in (
                (zipped(), "found an empty zip archive; allowed: arrays as"),
                (zipped(entry("data.pkl")), "found a zip archive of 1 file and none NAME.npy"),
                (zipped(entry(flags=1)), 'an encrypted entry: "a.npy"; allowed: entries without'),
                (method, f'byte {place}: found compression method 14: "a.npy"; allowed: 0 '),
                (zipped(entry(size=1)), "found 1 bytes that are stored in"),
                (zipped(entry(method=8, size=1)), '"a.npy": byte 0: found 93; allowed: 93 4E'),
                (zipped(entry(method=8, size=10**9)), "allowed: as many as the archive says"),
                (zipped(entry(content=inflating, method=8, size=10**9 + len(inflating) - 2)),
                 "compressed bytes can inflate to"),
                (deflated[:35] + b"\xff" + deflated[36:], 'damaged compressed data: "a.npy"'),
                (zipped(entry(method=8, checksum=1)), 'an entry with another checksum: "a.npy"'),
                *((zipped(entry(content=npy(dictionary("'|O'")), method=method)),
                   '"a.npy": header at byte 10: /descr: found "|O"') for method in (0, 8)),
                *((good[:size], "whose directory, at its end, is damaged")
                  for size in (4, len(good) // 2, len(good) - 20)),
                (b"X" + good[1:], "found 58 4B 03 04")):
            self.assert_refused(words, content)
        two = zipped(entry("b.npy"), entry())
        second = two.index(b"PK\3\4", 1)
        changed = two[:second] + b"X" + two[second + 1:]
        self.assert_refused('that the entry itself contradicts: "a.npy"', changed, "a")

    def test_safetensors_by_name(self):
        content = safetensors(json.dumps({
            "__metadata__": {"format": "pt"}, "images": tensor("U8", [2, 2], 2, 6),
            "labels": tensor("I16", [], 0, 2), "other": tensor("F8_E4M3", [0], 0, 0)}) + "   ",
            b"\1\2abcd")
        self.assert_reads(b"abcd", content, "images")
        self.assert_reads(b"\1\2", content, "labels")
        for name, words in (
                ("label", 'the name "label"; allowed: "labels", "images", "other"'),
                ("", "found no name of one of its 3 arrays"),
                ("__metadata__", 'found the name "__metadata__"'),
                ("other", '/other/dtype: found "F8_E4M3"; allowed: "BOOL", "U8"')):
            self.assert_refused(words, content, name)
        # Its length begins as an IDX file does: 00 00 01 00 …
        header = json.dumps({"a": tensor("U8", [1], 0, 1)}).ljust(0x10000)
        self.assert_reads(b"x", safetensors(header, b"x"))

    def test_safetensors_with_another_header(self):
        for header, words in (
                ("{}", "header at byte 8: found no tensor; allowed: at least one"),
                ('{"a":}', "header at byte 8, line 1, column 6: not valid JSON"),
                ('{"a":1,"a":2}', "/a: the key is given more than once")):
            self.assert_refused(words, safetensors(header))
        for described, words in (
                ([], "header at byte 8: /a: found an array; allowed: an object"),
                ({}, "/a/dtype: is missing"), ({}, "/a/data_offsets: is missing"),
                (tensor("U16", [1], 0, 2), '/a/dtype: found "U16"; did you mean "I16"? allowed: '),
                (tensor("U8", [-1], 0, 4), "/a/shape/0: found -1; allowed: an integer from 0"),
                (tensor("U8", [1.5], 0, 4), "/a/shape/0: found 1.5"),
                (tensor("U8", 4, 0, 4), "/a/shape: found 4; allowed: an array of 0 to 32"),
                (tensor("U8", [2**32] * 3, 0, 4), "byte 8: found the shape (4294967296, "),
                (tensor("U8", [5], 0, 5), "/a/data_offsets/1: found 5; allowed: an integer from 0"),
                (tensor("U8", [4], 0, 3), "/a/data_offsets: found 0 to 3; allowed: 4 bytes, as"),
                (tensor("U8", [2], 3, 1), "/a/data_offsets: found 3 to 1; allowed: 2 bytes"),
                (tensor("U8", [4], 0, 4, more=1), "/a/more")):
            self.assert_refused(words, safetensors(json.dumps({"a": described})))
        for length, words in (
                (100, "byte 0: found a header of 100 bytes; allowed: at most 2, which the file"),
                (4 * 10**9, "a header of 4000000000 bytes"),
                (2**32, "byte 2: found the type 00; allowed: 08 (uint8)")):
            self.assert_refused(words, struct.pack("<Q", length) + b"{}")


if __name__ == "__main__":
    unittest.main()
