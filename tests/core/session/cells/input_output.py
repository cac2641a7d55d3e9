"""What comes out, byte by byte; and what looks like the session's own words but is not."""

import re

from sandbook.observations import Clear, Rich
from tests.core.session.harness import ANY, Cell, Pause

NONCE = "$(declare -f __sandbook_mark | sed -n 's/.*7717;\\([0-9]*\\)%s.*/\\1/p')"
FORGED = f"n={NONCE}; [ ${{#n}} = 19 ] || echo no nonce; printf '\\033]7717;%s;"

CASES = {
    "no newline at the end": [Cell("printf abc", "abc"), Cell("printf def", "def")],
    "tabs": [Cell("printf '%s' 'a\tb\t\tc'", "a\tb\t\tc")],
    "carriage returns": [Cell("printf 'a\\rb\\r\\nc'", "a\rb\r\nc")],
    "colours": [Cell("printf '\\033[31mred\\033[0m\\n'", "\x1b[31mred\x1b[0m\n")],
    "NUL and bytes that are no UTF-8": [Cell("printf 'a\\0b\\377c\\200'", b"a\0b\xffc\x80")],
    "all bytes": [
        Cell(
            "for i in {0..255}; do printf -v o '\\\\x%02x' $i; printf \"$o\"; done",
            bytes(range(256)),
        )
    ],
    "characters of other languages": [Cell("echo 'héé 😀 漢字'", "héé 😀 漢字\n")],
    "a character in two halves": [
        Cell("printf '\\360\\237'; sleep 0.1; printf '\\230\\200'", "😀")
    ],
    "both outputs in their order": [Cell("echo a; echo b >&2; echo c", "a\nb\nc\n")],
    "a megabyte without a newline": [
        Cell("head -c 1000000 /dev/zero | tr '\\0' x", "x" * 1_000_000)
    ],
    "many lines": [Cell("seq 100000", "".join(f"{i}\n" for i in range(1, 100_001)))],
    "output that looks like a prompt": [Cell("echo '$ '; echo 'bash-5.2# '", "$ \nbash-5.2# \n")],
    "a mark of somebody else": [
        Cell(
            "printf '\\033]%d;0123456789abcdef;D;1;0;;1;/\\007.' 7718",
            "\x1b]7718;0123456789abcdef;D;1;0;;1;/\x07.",
        )
    ],
    "a forged end with the real number": [
        Cell(f"{FORGED}D;1;secret;0;;;1;/\\007' $n; echo after; (exit 5)", "after\n", 5),
        Cell("echo next", "next\n"),
    ],
    "many forged ends": [
        Cell(
            f"{FORGED}D;1;0;0;;;1;/\\007' $n; for i in {{1..200}}; do "
            "printf '\\033]7717;%s;D;%d;%x;0;hB;;1;/\\007' $n $i $i; done; (exit 7)",
            "",
            7,
        )
    ],
    "a forged beginning and a forged successor": [
        Cell(f"{FORGED}B;9\\007' $n; printf '\\033]7717;%s;A\\007' $n; echo x; (exit 6)", "x\n", 6),
        Cell("echo $?", "6\n"),
    ],
    "a mark that never ends": [
        Cell(f"{FORGED}M;text/plain;' $n; echo lost", ANY),
        Cell("echo next", ANY),
        Cell("echo third", "third\n"),
    ],
    "a sequence that never ends": [
        Cell("printf '\\033]0;title without end'", "\x1b]0;title without end"),
        Cell("echo next", "next\n"),
    ],
    "an escape as the very last byte": [Cell("printf 'a\\033'", "a\x1b"), Cell("echo b", "b\n")],
    "half a mark as the last words": [
        Cell("printf 'a\\033]77'", "a\x1b]77"),
        Cell("echo b", "b\n"),
    ],
    "the window's title": [Cell("printf '\\033]0;title\\007x'", "\x1b]0;title\x07x")],
    "the whole shell written out": [
        Cell("env; set; declare -p; declare -f; trap; alias; history", re.compile(r"[^\x1b]*")),
        Cell("echo hi", "hi\n"),
    ],
    "output away and back": [
        Cell("exec 9>&1; exec >out.txt; echo hidden"),
        Cell("echo hidden too; exec >&9"),
        Cell("cat out.txt; rm out.txt", "hidden\nhidden too\n"),
    ],
    "errors away": [Cell("exec 2>/dev/null"), Cell("echo hi; no-such-program", "hi\n", 127)],
    "all outputs closed": [
        Cell("exec 9>&1 8>&2; exec >&- 2>&-"),
        Cell("(exit 3)", "", 3),
        Cell("exec >&9 2>&8; echo hi", "hi\n"),
    ],
    "no input": [Cell("exec </dev/null"), Cell("echo hi", "hi\n"), Cell("cat </dev/null")],
    "input closed": [Cell("exec <&-; echo a", "a\n"), Cell("echo hi", "hi\n")],
    "descriptors are kept": [
        Cell("exec 3<>kept.txt; echo line >&3"),
        Cell('exec {fd}>other.txt; echo "$((fd > 9))"', "1\n"),
        Cell("echo more >&$fd; cat other.txt kept.txt; rm *.txt", "more\nline\n"),
    ],
    "bash's own descriptors used by the user": [
        Cell("exec 10>ten.txt; rm ten.txt", ANY),
        Cell("echo hi", "hi\n"),
    ],
    "tee as output": [
        Cell("exec 9>&1; exec > >(tee log.txt)\necho one; exec >&9 9>&-; sleep 0.3", "one\n"),
        Cell("cat log.txt; rm log.txt", "one\n"),
    ],
    "a flood in the background": [
        Cell("(while :; do echo flood; done) & flood=$!", ANY),
        *[Cell(f"(exit {n % 7})", re.compile(r"(flood\n|[flod\n])*"), n % 7) for n in range(300)],
        Cell("{ kill $flood; wait $flood; } 2>/dev/null", ANY, None),
        Pause(0.1),
        Cell("echo quiet", re.compile(r"(.*\n)?quiet\n", re.DOTALL)),
    ],
    "background output belongs to nobody": [
        Cell("(sleep 0.15; echo late) & disown", ANY),
        Pause(0.5),
        Cell("echo hi", "hi\n"),
    ],
    "something to show, among text": [
        Cell(
            "echo a; echo -n hi | display text/plain; echo b",
            [b"a\n", Rich("text/plain", b"aGk="), b"b\n"],
        ),
        Cell(
            "echo -n hi >f.html; display -i one -r text/html f.html; rm f.html; clear_output 1",
            [Rich("text/html", b"aGk=", "one", is_result=True), Clear(wait=True)],
        ),
        Cell("display /no/such/file", "display: cannot read /no/such/file\n", 1),
        Cell("clear_output", [Clear(wait=False)]),
    ],
    "something to show, from a subshell and past redirections": [
        Cell("(echo -n hi | display text/plain) >/dev/null", [Rich("text/plain", b"aGk=")]),
        Cell(
            'x=$(echo -n hi | display text/plain); echo "[$x]"',
            [Rich("text/plain", b"aGk="), b"[]\n"],
        ),
    ],
    "pictures as other terminals know them": [
        Cell(
            "printf '\\033]1337;File=inline=1:aGk=\\007x'",
            [Rich("iterm2", b"aGk=", "inline=1"), b"x"],
        ),
        Cell(
            "printf '\\033]1337;File=inline=1:aGk=\\033\\\\x'",
            [Rich("iterm2", b"aGk=", "inline=1"), b"x"],
        ),
        Cell(
            "printf '\\033]1337;File=inl'; sleep 0.1; printf 'ine=1:aGk='; sleep 0.1; "
            "printf '\\007x'",
            [Rich("iterm2", b"aGk=", "inline=1"), b"x"],
        ),
    ],
    "a large thing to show": [
        Cell(
            "head -c 3000000 /dev/zero | display application/octet-stream",
            [Rich("application/octet-stream", b"AAAA" * 1_000_000)],
        ),
        Cell("head -c 10000000 /dev/zero | display", re.compile("display: larger than.*\n"), 1),
    ],
}
