"""The directive `folded-table`: tables behind a line to click, with a chart of the first.

.. code-block:: rst

    .. folded-table::
       :values: mid-p; exact
       :series: records
       :level: 0.05
       :alt: The mid-p test exceeds 0.05 in two settings, the exact test in none.

       Each dot is one disagreement.

       .. csv-table:: Hold-out: type I error of McNemar's test at 0.05
          :header-rows: 1

          records,disagreement,mid-p,exact
          ...

With `values` the chart of `table_charts` stands above the table, drawn from its cells, with
the paragraphs before the table as its caption; without, there is no chart. Its options are
those of `table_charts.Options`, with `;` between names and `=` within pairs. The argument
is the line to click, by default the title of the table; several tables need one.
Pages that cannot fold, as those of LaTeX and plain text, show the tables, and no chart.
"""

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective
from table_charts import Options, draw
from table_charts import __file__ as drawn_by

SHOW = "Show the table"
BARS = "Bars are 95 % Monte-Carlo intervals."


class chart(nodes.General, nodes.Element):
    """A chart, with its caption as children."""


class folded(nodes.General, nodes.Element):
    """What is behind a line to click."""


def _names(text):
    return tuple(name.strip() for name in text.split(";") if name.strip())


def _pairs(text):
    return tuple(
        tuple(part.strip() for part in pair.split("=", 1)) for pair in _names(text)
    )


class FoldedTable(SphinxDirective):
    """Tables behind a line to click, below a chart of the first of them."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = {
        "values": _names,
        "rows": _names,
        "series": directives.unchanged_required,
        "where": _pairs,
        "names": _pairs,
        "level": float,
        "start": float,
        "scale": lambda text: directives.choice(text, ("linear", "root")),
        "axis": directives.unchanged_required,
        "alt": directives.unchanged_required,
    }

    def run(self):
        """The chart, if `values` are named, and what is folded."""
        self.env.note_dependency(drawn_by)
        inner = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, inner)
        tables = list(inner.findall(nodes.table))
        if not tables:
            raise self.error("folded-table has no table")
        title = self.arguments[0] if self.arguments else _title(tables)
        if not title:
            raise self.error("folded-table with several tables needs a line to click")
        fold = folded("", title=" ".join(f"Table: {title}".split()))
        if "values" not in self.options:
            fold += inner.children
            return [fold]
        if len(tables) == 1:
            fold["title"] = SHOW  # the chart has the title
        first = next(k for k, node in enumerate(inner.children) if _has_table(node))
        fold += inner.children[first:]
        return [self._chart(tables[0], inner.children[:first]), fold]

    def _chart(self, table, caption):
        options = dict(self.options)
        alt = " ".join(options.pop("alt", "").split())
        if not alt:
            raise self.error("the chart of a folded-table needs an alternative text, `alt`")
        cells = _cells(table)
        try:
            svg = draw(cells, Options(**options), alt)
        except ValueError as fault:
            raise self.error(f"chart of a folded-table: {fault}") from None
        # The title is the caption's first sentence, so that the picture stands by itself.
        heading = nodes.paragraph("", "", nodes.strong("", f"{_title([table])}."))
        for paragraph in caption:
            heading += [nodes.Text(" "), *paragraph.children]
        if 'class="bar ' in svg:
            heading += nodes.Text(f" {BARS}")
        return chart("", heading, svg=svg)


def _has_table(node):
    return isinstance(node, nodes.table) or any(node.findall(nodes.table))


def _title(tables):
    """The title of the only table."""
    (first, *others) = tables
    title = next(iter(first.findall(nodes.title)), None)
    return None if others or title is None else title.astext()


def _cells(table):
    """The text of each cell, row by row."""
    return [
        [entry.astext() for entry in row.findall(nodes.entry)]
        for row in table.findall(nodes.row)
    ]


def _open_chart(translator, node):
    translator.body.append(f'<figure class="table-chart">\n{node["svg"]}\n<figcaption>\n')


def _close_chart(translator, node):
    translator.body.append("</figcaption>\n</figure>\n")


def _open_fold(translator, node):
    title = translator.encode(node["title"])
    translator.body.append(f'<details class="folded-table">\n<summary>{title}</summary>\n')


def _close_fold(translator, node):
    translator.body.append("</details>\n")


def _leave_out(translator, node):
    raise nodes.SkipNode


def _pass(translator, node):
    pass


def setup(app):
    """Offer the directive; only HTML folds."""
    other = ("latex", "text", "man", "texinfo")
    absent = dict.fromkeys(other, (_leave_out, None))
    plain = dict.fromkeys(other, (_pass, _pass))
    app.add_node(chart, html=(_open_chart, _close_chart), **absent)
    app.add_node(folded, html=(_open_fold, _close_fold), **plain)
    app.add_directive("folded-table", FoldedTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
