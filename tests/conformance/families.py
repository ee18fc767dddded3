"""Failures that have a cause in common: what they say, with numbers and names of dtypes left out."""

import collections
import pathlib
import re

import page
from compare import Failure, Found

LONGEST_KEY = 170
DTYPES = (r"\b(torch\.)?(bool|uint8|u?int(8|16|32|64)|b?float(16|32|64)|half|bfloat16|complex(32|64|128)|double|long|"
          r"Half|BFloat16|Float|Double|Long|Int|Short|Char|Byte|Bool|Complex(Half|Float|Double))\b")
REPLACED = ((r"0x[0-9a-f]+", "#"), (DTYPES, "<dtype>"), (r"-?\d+(\.\d+)?(e[+-]?\d+)?", "#"),
            (r"[\[(](#|, | )*[\])]", "(#)"), (r"(#, )+#", "#"), (r"\s+", " "))
# Failures that are of one kind whatever the test; what else says only that values differ is distinguished by the test.
KINDS = ((r"not raised|DID NOT RAISE", "no error where one is due"),
         (r"\" does not match \"|error did not match|Regex pattern did not match", "an error with other words"),
         (r"^operation '.*' failed: .*not implemented for ", "an unsupported dtype that raises at the next read"),
         (r"Warning not triggered|warnings? (was|were) not", "no warning where one is due"))
SAYS_LITTLE = re.compile(r"not close|not equal|are not|is not true|is not false|^ *$|mismatch|Caused by sample",
                         re.IGNORECASE)
LONGEST_LIST = 12
DEVICE_AND_DTYPE = re.compile(r"_cpu(_.*)?$")


def key_of(failure: Failure) -> tuple[str, str, str]:
    row = failure.row
    message = row.get("message", "")
    if row["outcome"] in ("crashed", "timed_out"):
        message = innermost(message)
    for pattern, words in KINDS:
        if re.search(pattern, message):
            return row["outcome"], words, ""
    text = message
    for pattern, replacement in REPLACED:
        text = re.sub(pattern, replacement, text)
    text = text.strip()[:LONGEST_KEY]
    test = "" if not SAYS_LITTLE.search(text) else DEVICE_AND_DTYPE.sub("", failure.test.rpartition("::")[2])
    return row["outcome"], f"{row.get('kind', '')}: {text}", test


def innermost(log: str) -> str:
    """Of a crash's log the error and the first frame that is the test's or torch's."""
    fatal = re.findall(r"^(?:Fatal Python error|terminate called|  what\(\)|.*Sanitizer).*", log, re.MULTILINE)
    frame = re.search(r"most recent call first\):\n((?:  File .*\n?){1,2})", log)
    return " ".join(fatal[:2]) + (" at " + frame.group(1) if frame else "")


def write(found: Found, out: pathlib.Path | None) -> int:
    families = collections.defaultdict(list)
    for result in found.files:
        for failure in result.unexpected:
            families[key_of(failure)].append(failure)
    ordered = sorted(families.items(), key=lambda item: -len(item[1]))
    text = f"# Families of failures\n\n{sum(map(len, families.values()))} failures, {len(families)} families.\n\n"
    text += page.counts_table(found.files) + "\n"
    text += "".join(section(number, key, failures) for number, (key, failures) in enumerate(ordered, 1))
    if out is None:
        print(text)
    else:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
    return 0


def section(number: int, key: tuple[str, str, str], failures: list[Failure]) -> str:
    outcome, text, test = key
    files = collections.Counter(f"{failure.suite}/{failure.file}" for failure in failures)
    where = ", ".join(f"{file} {count}" for file, count in files.most_common(6))
    first = failures[0]
    message = "\n".join(first.row.get("message", "").strip().splitlines()[:14])[:1200]
    words = f"## {number}. {len(failures)} × {outcome} {page.first_line(text)}{' — ' + test if test else ''}\n\n"
    place = f" at {first.row['place']}" if "place" in first.row else ""
    words += f"In {where}. Repro: `{first.name}`{place}\n\n```\n{message}\n```\n\n"
    words += "".join(f"- `{failure.test}`: {page.first_line(failure.row.get('message', ''))}\n"
                     for failure in failures[1:LONGEST_LIST])
    return words + ("\n" if len(failures) > 1 else "")
