r"""Which formulas may be typeset. Pure.

MathJax knows commands that link, style and load (`\href`, `\style`, `\require`), and others that
give those a new name (`\def`, `\let`). Only what is on this list stands in a plain formula.
"""

import re

MAX_FORMULA = 20_000
_COMMAND = re.compile(r"\\([a-zA-Z]+\*?|.|\Z)", re.S)
_SIGNS = set("\\,;:!>|{}%$#&_ -'\"`^~=.()[]\n/")

_WORDS = """
alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi
varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi
Sigma Upsilon Phi Psi Omega hbar ell Re Im aleph imath jmath wp partial nabla infty emptyset
varnothing forall exists nexists neg lnot top bot angle triangle square prime backslash
frac dfrac tfrac cfrac binom dbinom tbinom sqrt root over atop choose
sum prod coprod int iint iiint oint bigcup bigcap bigsqcup bigvee bigwedge bigoplus bigotimes
lim limsup liminf sup inf max min arg det dim ker hom deg gcd Pr exp ln log lg sin cos tan cot sec
csc sinh cosh tanh coth arcsin arccos arctan mod bmod pmod pod operatorname operatorname*
limits nolimits displaystyle textstyle scriptstyle scriptscriptstyle
cdot cdots ldots dots dotsc dotsb vdots ddots times div pm mp ast star circ bullet oplus ominus
otimes oslash odot wedge land vee lor cap cup sqcap sqcup setminus wr amalg dagger ddagger
le leq leqslant ge geq geqslant lt gt ll gg ne neq equiv sim simeq approx cong propto asymp doteq
prec succ preceq succeq subset supset subseteq supseteq subsetneq supsetneq in notin ni not mid
nmid parallel perp models vdash dashv smile frown bowtie
to gets rightarrow leftarrow leftrightarrow Rightarrow Leftarrow Leftrightarrow longrightarrow
longleftarrow Longrightarrow Longleftarrow longleftrightarrow Longleftrightarrow iff implies
impliedby mapsto longmapsto hookrightarrow hookleftarrow uparrow downarrow updownarrow Uparrow
Downarrow nearrow searrow swarrow nwarrow rightharpoonup rightleftharpoons xrightarrow xleftarrow
left right middle big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr bigm
langle rangle lfloor rfloor lceil rceil lvert rvert lVert rVert vert Vert lbrace rbrace lbrack
rbrack
hat widehat tilde widetilde bar overline underline vec dot ddot acute grave breve check mathring
overbrace underbrace overrightarrow overleftarrow stackrel overset underset substack boxed cancel
mathrm mathbf mathit mathsf mathtt mathcal mathbb mathfrak mathscr boldsymbol bm rm bf it cal
text textrm textbf textit textsf texttt mbox
quad qquad thinspace space enspace phantom hphantom vphantom smash
begin end hline cr nonumber notag
"""
_KNOWN = {*re.findall(r"\S+", _WORDS), *_SIGNS}


def unknown_command(formula: str) -> str | None:
    """Find a command that is on no list; nothing where all is well."""
    if len(formula) > MAX_FORMULA:
        return f"a text of {len(formula):,} characters"
    for match in _COMMAND.finditer(formula):
        if match[1] not in _KNOWN:
            return match[0]
    return None
