"""Formulas as MathML, which browsers and screen readers know without a script.

The renderer that Sphinx has by default fetches a script from another site, so that formulas
would be raw text where there is no network.
"""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def _inline(translator, node):
    translator.body.append(tex2mathml(node.astext(), as_block=False))
    raise nodes.SkipNode


def _block(translator, node):
    formula = tex2mathml(node.astext().strip(), as_block=True)
    translator.body.append(f'<div class="formula">{formula}</div>\n')
    raise nodes.SkipNode


def setup(app):
    """Offer the renderer by its name."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
