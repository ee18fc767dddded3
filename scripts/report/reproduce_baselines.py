"""The frameworks that the documents describe, compared with runahead: one row per program, case and figure."""

import json

from report import records, tables, units

FOLDER = "baselines"
# For a baseline's program and case: our run, and the place of its results.
OUR_RUNS = {
    ("dispatch", "default"): ("dispatch", ("results", "dispatch")),
    ("queued_finished", "default"): ("queued_finished", ("results", "queued_finished")),
    ("matmul_loop", "default"): ("matmul_loop", ("results", "matmul_loop")),
    ("sync_functions", "default"): ("sync_functions", ("results", "sync_functions")),
    ("graph", "default"): ("graph.1_worker", ("results", "graph")),
    ("train", "every_batch"): ("train.on_device.every_batch.long", None),
    ("train", "none"): ("train.on_device.none.long", None),
}
OUR_INCREMENTS = {"small": ("increment.small", "independent"), "small_chained": ("increment.small", "chained"),
                  "large": ("increment.large", "independent")}
OUR_MEMORY = {"rss_peak_growth_bytes": ("memory", "rss_growth_bytes"), "issue_seconds": ("time", "issue_seconds"),
              "total_seconds": ("time", "total_seconds")}
OUR_FUNCTIONS = {"wait_to_read": "loss_ready", "block_until_ready": "loss_ready", "waitall": "all", "synchronize": "all",
                 "asnumpy": "host_copy", "numpy": "host_copy", "asarray": "host_copy", "asscalar": "loss_value",
                 "item": "loss_value", "print": "print", "save": "save"}


def read(folder, warnings):
    """The documents of the baselines that were run, by name, including those without figures."""
    documents = {}
    for path in sorted((folder / FOLDER).glob("*.json")):
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except (ValueError, RecursionError, OSError) as error:
            warnings.append(f"{path} is not a document of a baseline and is left out: {error}")
            continue
        if is_document(document):
            documents[document["baseline"]] = document
        else:
            warnings.append(f"{path} is not a document of a baseline and is left out: it has no programs or no cases")
    return documents


def is_document(document):
    """Whether it names a baseline, and its programs, if it has any, have cases."""
    if not isinstance(document, dict) or not isinstance(document.get("baseline"), str):
        return False
    programs = document.get("programs") or {}
    return isinstance(programs, dict) and all(
        isinstance(program, dict) and isinstance(program.get("cases", {}), dict)
        and all(isinstance(case, dict) for case in program.get("cases", {}).values()) for program in programs.values())


# The place of each of their parameters in the config of our run.
PARAMETERS = {"size": ("size",), "products": ("products",), "batches": ("batches",), "batch_size": ("data", "batch_size")}


def table(found, documents):
    """The table as HTML, followed by a list of what is absent, with the reason."""
    measured = {name: document for name, document in documents.items() if document.get("programs")}
    absent = [f"{name}: {document.get('reason')}" for name, document in documents.items() if name not in measured]
    notes = "".join(f"<li>{tables.escape(text)}</li>" for text in absent)
    notes = f"<p>Without figures:</p><ul>{notes}</ul>" if notes else ""
    if not measured:
        return notes
    headings = ["program, case", "figure", *found.devices, *(heading(name, document) for name, document in measured.items())]
    return tables.table(headings, [row(found, measured, *key) for key in keys(measured)],
                        texts=("figure",), is_whole=True) + notes


def heading(name, document):
    version = (document.get("versions") or {}).get(name.split("_")[0], "")
    return f"{name} {version}".strip()


def keys(documents):
    """The distinct (program, case, figure), in the order of the documents."""
    found = {}
    for document in documents.values():
        for program, content in document["programs"].items():
            for case, result in content.get("cases", {}).items():
                for figure in result.get("figures") or {}:
                    found[program, case, figure] = None
    return sorted(found, key=lambda key: list(dict.fromkeys(other[:2] for other in found)).index(key[:2]))


def row(found, documents, program, case, figure):
    parameters = parameters_of(documents, program, case)
    ours = [text_of(figure, our_spread(found, device, program, case, figure, parameters)) for device in found.devices]
    theirs = [text_of(figure, their_spread(document, program, case, figure)) for document in documents.values()]
    cells = "".join(tables.cell(text) for text in [*ours, *theirs])
    return f"<tr>{tables.cell(f'{program}, {case}', kind='text')}{tables.cell(tables.words(figure), kind='text')}{cells}</tr>"


def parameters_of(documents, program, case):
    """The parameters of the first baseline that has the case; they are the same for all."""
    cases = (document["programs"].get(program, {}).get("cases", {}) for document in documents.values())
    return next((found[case].get("parameters") or {} for found in cases if case in found), {})


def their_spread(document, program, case, figure):
    figures = document["programs"].get(program, {}).get("cases", {}).get(case, {}).get("figures") or {}
    return records.spread_in(figures.get(figure))


def our_spread(found, device, program, case, figure, parameters):
    """The same figure of our run; None if there is none for a run with these parameters."""
    if program == "increment":
        return our_increment(found, device, case, figure, parameters)
    if (program, case) not in OUR_RUNS:
        return None
    run, place = OUR_RUNS[program, case]
    if any(found.config(run, device, *PARAMETERS[name]) != value for name, value in parameters.items() if name in PARAMETERS):
        return None
    if place is None:
        return found.spread(run, device, *OUR_MEMORY[figure]) if figure in OUR_MEMORY else None
    name = figure.removesuffix("_seconds")
    ours = f"{OUR_FUNCTIONS[name]}_seconds" if program == "sync_functions" and name in OUR_FUNCTIONS else figure
    return found.spread(run, device, *place, ours)


def our_increment(found, device, case, figure, parameters):
    """The figure of our run with as many operations on x of the same shape."""
    if case not in OUR_INCREMENTS:
        return None
    run, form = OUR_INCREMENTS[case]
    if found.config(run, device, "shape") != parameters.get("shape"):
        return None
    totals = found.result(run, device, "increment", form, "runs") or []
    spread = next((total.get(figure) for total in totals if total.get("operations") == parameters.get("operations")), None)
    return records.spread_in(spread)


def text_of(figure, spread):
    return units.spread_text(spread, units.bytes_text if figure.endswith("_bytes") else units.duration_text)
