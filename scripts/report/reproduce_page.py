"""The page of `runahead reproduce`: what is not as expected, then the chart, times and claims of each experiment."""

from report import figure, files, frame, reproduce_baselines, reproduce_charts, reproduce_words, tables, units

escape = tables.escape
NOT_ASKED = "not asked"
TIME_TEXTS = ("is", "figure")
OUTCOMES = {True: "holds", False: "fails"}
MARKS = {True: "✓", False: "✗", None: "–"}
TITLES = {
    "dispatch": "Dispatch", "matmul_loop": "A loop of products", "graph": "The dependency graph",
    "queued_finished": "Queued and finished", "sync_functions": "What waits", "increment": "1,000 times y = x + 1",
    "data_iter": "The generator of batches", "train": "Training, and its memory", "predict": "Prediction, and its memory",
    "exercise": "The exercises", "front_end": "The front end's speed",
}
PARTS = {"frameworks": "The same programs on the frameworks", "environment": "Environment",
         "glossary": "Glossary: the same three things, by other names"}


def write(found, baselines, warnings, out):
    """Writes the page and each chart as PNG and SVG. Returns their paths. baselines: their documents, by name."""
    files.make_folder(out)
    paths, sections = [], []
    for experiment in found.experiments():
        pictures = draw(found, experiment, out)
        paths += pictures
        sections.append(section(found, experiment, pictures))
    page = out / "index.html"
    files.write_text(page, frame.render(
        "reproduce.html", "runahead: what the documents claim", is_interactive=False,
        overview=escape(overview(found)),
        warnings="".join(f'<p class="warning">{escape(warning)}</p>\n' for warning in warnings),
        surprises=surprises(found),
        contents=contents(found),
        words=words_table(),
        sections="\n".join(sections),
        baselines=reproduce_baselines.table(found, baselines) or "<p>None was run; --baselines runs those that are set up.</p>",
        environment=tables.environments([run for runs in found.runs.values() for run in runs])))
    return [*paths, page]


def draw(found, experiment, out):
    """The paths of the experiment's chart, [png, svg]; [] if there is nothing to draw."""
    drawing = reproduce_charts.draw(found, experiment)
    return [] if drawing is None else figure.write_pictures(drawing, out, experiment)


def overview(found):
    asked = [claim for claim in found.claims if claim["expected"] != NOT_ASKED]
    met = sum(bool(claim.get("met")) for claim in asked)
    text = f"{met} of {len(asked)} claims were found as expected, on {', '.join(found.devices)}"
    unmeasured = sum(is_met(claim) is None for claim in asked)
    text += f"; {unmeasured} not measured" if unmeasured else ""
    text += "; sizes were shrunk (--quick)" if found.document.get("quick") else ""
    return text + ("." if found.document.get("status") == "ok" else f"; {found.document.get('status')}.")


def surprises(found):
    """The claims that were not found as expected, on all devices."""
    missed = {claim["id"] for claim in found.claims if is_met(claim) is False}
    if not missed:
        asked = [is_met(claim) for claim in found.claims if claim["expected"] != NOT_ASKED]
        if asked and not any(asked):
            return "<p>No claim was measured.</p>"
        return f"<p>Every claim {'' if all(asked) else 'that was measured '}was found as expected.</p>"
    return claims_table(found, [claim for claim in found.claims if claim["id"] in missed])


def contents(found):
    entries = []
    for experiment in found.experiments():
        verdicts = [is_met(claim) for claim in claims_of(found, experiment)]
        counts = ((verdicts.count(False), "not as expected"), (verdicts.count(None), "not measured"))
        words = ", ".join(f"{count} {what}" for count, what in counts if count)
        note = f' <em class="not-ok">{words}</em>' if words else ""
        entries.append(f'<li><a href="#{escape(experiment)}">{escape(title(experiment))}</a>{note}</li>')
    entries += [f'<li><a href="#{place}">{heading}</a></li>' for place, heading in PARTS.items()]
    return f"<ul>{''.join(entries)}</ul>"


def section(found, experiment, pictures):
    body = [f'<section class="comparison" id="{escape(experiment)}">', f"<h2>{escape(title(experiment))}</h2>"]
    body += [inline(path) for path in pictures if path.suffix == ".svg"]
    if experiment == "graph":
        body.append(tracked_graph(found))
    claims = claims_of(found, experiment)
    body += [times_table(found, experiment), claims_table(found, claims), dependences(claims), "</section>"]
    return "\n".join(part for part in body if part)


def title(experiment):
    return TITLES.get(experiment, experiment)


def inline(path):
    """The picture as an inline element of the page."""
    text = path.read_text(encoding="utf-8")
    return f'<figure class="picture">{text[text.index("<svg"):]}</figure>'


def tracked_graph(found):
    """The graph that the back end tracked, as drawn by the run."""
    for run in ("graph.1_worker", "graph.2_workers"):
        picture = found.result(run, "acpu", "graph", "svg")
        if isinstance(picture, str) and "<svg" in picture:
            text = found.result(run, "acpu", "graph", "text")
            return (f'<figure class="picture"><figcaption>What the back end tracked of z = x * y + 2</figcaption>'
                    f'{picture[picture.index("<svg"):]}</figure><pre>{escape(text)}</pre>')
    return ""


def times_table(found, experiment):
    """The time of each call, in the documents' words."""
    if experiment not in reproduce_words.TIMES:
        return ""
    run = "graph.2_workers" if experiment == "graph" else experiment
    rows = []
    for key, words, kind in reproduce_words.TIMES[experiment]:
        cells = "".join(tables.cell(units.spread_text(found.spread(run, device, "results", experiment, key)))
                        for device in found.devices)
        rows.append(f"<tr>{tables.cell(words, kind='text')}{tables.cell(kind, kind='text')}{tables.cell(tables.words(key), kind='text')}{cells}</tr>")
    return tables.table(["the document's call", *TIME_TEXTS, *found.devices], rows, texts=TIME_TEXTS, is_whole=True)


def claims_table(found, claims):
    """One row per claim, with the finding on each device."""
    rows = []
    for identity in dict.fromkeys(claim["id"] for claim in claims):
        verdicts = {claim["device"]: claim for claim in claims if claim["id"] == identity}
        claim = next(iter(verdicts.values()))
        cells = "".join(verdict_cell(verdicts.get(device)) for device in found.devices)
        rows.append(f'<tr><td class="text wide">{escape(claim["claim"])}<br><small>{escape(claim["condition"])}</small></td>'
                    f"{cells}</tr>")
    return tables.table(["claim, and how it is tested", *found.devices], rows, texts=found.devices, is_whole=True)


def verdict_cell(claim):
    if claim is None or claim["expected"] == NOT_ASKED:
        return tables.cell(NOT_ASKED, kind="text")
    outcome = OUTCOMES.get(claim.get("holds"))
    expected = "as expected" if is_met(claim) else f"expected: {claim['expected']}"
    words = f"{outcome}, {expected}: {claim['measured']}" if outcome else claim["measured"]
    state = "" if is_met(claim) else " not-ok"
    return f'<td class="text wide{state}">{MARKS[is_met(claim)]} {escape(words)}</td>'


def dependences(claims):
    reasons = {claim["claim"]: claim["depends_on"] for claim in claims if claim["depends_on"]}
    notes = "".join(f"<li><b>{escape(claim)}</b> {escape(reason)}</li>" for claim, reason in reasons.items())
    return f"<h3>On what it depends</h3><ul>{notes}</ul>" if notes else ""


def is_met(claim):
    """None if it was not measured."""
    if claim["expected"] == NOT_ASKED:
        return True
    return None if claim.get("holds") is None else bool(claim.get("met"))


def claims_of(found, experiment):
    return [claim for claim in found.claims if claim["experiment"] == experiment]


def words_table():
    rows = [f"<tr><th scope='row'>{escape(what)}</th>" + "".join(f'<td class="text wide">{escape(text)}</td>' for text in texts)
            + "</tr>" for what, *texts in reproduce_words.NAMES]
    return tables.table(reproduce_words.HEADINGS, rows, texts=reproduce_words.HEADINGS, is_whole=True)
