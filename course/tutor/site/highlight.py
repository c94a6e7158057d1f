"""CUDA C++ and differences as HTML.

What Doxygen's own colours leave out: kernels' keywords, and lines that came or went.
"""

import html
import re

KEYWORDS = """
    alignas auto break case catch class const const_cast constexpr continue decltype default
    delete do else enum explicit extern false for friend goto if inline mutable namespace new
    noexcept nullptr operator private protected public reinterpret_cast requires return sizeof
    static static_assert static_cast struct switch template this throw true try typedef typename
    using virtual volatile while
""".split()
TYPES = """
    bool char dim3 double float float2 float3 float4 half int int16_t int2 int32_t int4 int64_t
    int8_t long short signed size_t uint16_t uint32_t uint4 uint64_t uint8_t uintptr_t unsigned
    void
""".split()
# What is CUDA's own: its declarators, a thread's place, its intrinsics.
_CUDA = re.compile(r"threadIdx|blockIdx|blockDim|gridDim|warpSize|__.+|cuda.*|atomic.+")
_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<string>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)
    |(?P<directive>(?<![^\n])(?P<indent>\ *)\#\ *[^ <"\n]*)
    |(?P<number>[0-9](?:[A-Za-z0-9_.']|(?<=e)[-+])*)
    |(?P<word>[A-Za-z_][A-Za-z0-9_]*)""",
    re.VERBOSE | re.DOTALL,
)


def _sort_of(word: str) -> str:
    if word in KEYWORDS:
        return "keyword"
    if word in TYPES:
        return "type"
    return "cuda" if _CUDA.fullmatch(word) else ""


def _coloured(token: re.Match) -> str:
    sort, text = token.lastgroup, token[0]
    if sort == "directive":
        return f"{token['indent']}{_marked(sort, text.lstrip(' '))}"
    return _marked(_sort_of(text) if sort == "word" else sort, text)


def _marked(sort: str, text: str) -> str:
    """A part that goes over several lines is closed and opened again on each."""
    lines = (f"<b class={sort}>{html_escaped(line)}</b>" for line in text.split("\n") if sort)
    return "\n".join(lines) if sort else html_escaped(text)


def html_escaped(text: str) -> str:
    """Text as HTML shows it, in an element or in an attribute between double quotes."""
    return html.escape(text).replace("&#x27;", "'")


def highlighted(source: str) -> list[str]:
    """CUDA C++ as HTML, a string per line.

    Words get classes: keyword, type, cuda, comment, string, number, directive.
    """
    text, done = "", 0
    for token in _TOKEN.finditer(source):
        text += html_escaped(source[done : token.start()]) + _coloured(token)
        done = token.end()
    text += html_escaped(source[done:])
    return text.removesuffix("\n").split("\n") if text else []


def _difference_line(line: str) -> str:
    """A line of a difference: its sign stands in a column of its own, what follows is code."""
    if line.startswith(("+++", "---", "@@")):
        return f"<i class=where>{html_escaped(line)}</i>"
    code = "".join(highlighted(line[1:])[:1])
    tag = {"+": "ins", "-": "del"}.get(line[:1])
    if tag:
        return f"<{tag}><span>{line[0]}</span>{code}</{tag}>"
    return f"<i class=same><span> </span>{code}</i>"


def code_block(language: str, code: str) -> str:
    """The code of a fenced block as `<pre>`; `language` is what stood behind the backquotes.

    Without line ends of its own, so that no reader of Markdown takes it apart.
    """
    lines = code.removesuffix("\n").split("\n") if code else []
    if language == "diff":
        text = "".join(map(_difference_line, lines))  # each is a block, and needs no line end
    elif language in ("cuda", "cpp"):
        text = "".join(f"{line}&#10;" for line in highlighted(code))
    else:
        text = "".join(f"{html_escaped(line)}&#10;" for line in lines)
    # Doxygen looks for its commands in everything.
    text = text.replace("\\", "&#92;").replace("@", "&#64;")
    return f'<pre class="code {language}" tabindex=0>{text}</pre>'
