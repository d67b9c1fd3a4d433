#!/usr/bin/env python3
"""Runs every command and compiles every snippet of README.md and docs/, and compares what they print with what is shown.

Run by CTest with the environment of the package tests and SLICEPOOL_COMMAND. Fences say what they are:

    console   `$ COMMAND` and, below it, its standard output. A line `..` stands for any lines, `..` at the end of a line for
              its rest. Mode, times, rates, workers and memory are not compared.
    sh        one command a line; each must succeed
    cpp       compiled as the body of a function, linked against the installed package and run. A line `EXPRESSION;   // VALUE`
              must have that value.
    json      must be JSON; see `file` below
    python    not run here: tests/python/test_documents.py runs what begins with >>>, and knows `needs` of modules
    text, cmake   not run

A comment in the line before the fence (`not run` also before a table) changes that:

    <!-- not run: REASON -->             neither run nor compiled; listed
    <!-- needs: gpu -->                  only where `slicepool info` shows one, else listed; fplll likewise
    <!-- file: NAME -->                  written to NAME for the commands that follow in the same document
    <!-- file: NAME; then: COMMAND -->   and COMMAND must succeed
    <!-- printed by: COMMAND -->         JSON that COMMAND prints; seconds, and hashes of what has seconds in it, are not compared
    <!-- from: FILE -->                  an excerpt: its lines stand in FILE of the repository, in this order
    <!-- with: CODE -->                  C++ that comes before the snippet
    <!-- program: EXPRESSION -->         C++ at namespace level, for which EXPRESSION must be true

In a table with a column `command` the commands are run, and the bold numbers beside them must be in their output. Links to
files and headings of the repository must lead somewhere.
"""
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["SLICEPOOL_SOURCE_DIR"])
COMMAND = pathlib.Path(os.environ["SLICEPOOL_COMMAND"])
FENCES = {"console", "sh", "cpp", "json", "text", "python", "cmake"}
UNCOMPARED = re.compile(r"^(mode|auto|time|steps|peak memory) ")   # `auto` is another mode on a machine with a GPU
DROPPED = re.compile(r"^  ((cpu|gpu)\d+|\d+ more idle) ")

passed = failed = left_out = 0


def report(place, problem=None, detail=""):
    global passed, failed
    if problem is None:
        passed += 1
        return
    failed += 1
    print(f"FAILED {place}: {problem}\n{detail}", flush=True)


def leave_out(place, reason):
    global left_out
    left_out += 1
    print(f"[not run] {place}: {reason}", flush=True)


class Block:
    """A fence: its kind, the marks of the comment before it, its lines, and where it stands."""

    def __init__(self, document, number, kind, marks, lines):
        self.document, self.kind, self.marks, self.lines = document, kind, marks, lines
        self.place = f"{document}:{number}"


def marks_of(line):
    """`<!-- file: a.json; then: slicepool run a.json -->` as a dictionary; C++ of `with` and `program` may contain `;`."""
    match = re.fullmatch(r"\s*<!-- ([a-z ]+): (.*) -->\s*", line)
    if not match:
        return {}
    name, value = match.groups()
    if name == "file" and "; then: " in value:
        value, command = value.split("; then: ", 1)
        return {"file": value, "then": command}
    return {name: value}


def parse(path):
    """All fences of a document, and the commands of its tables as (place, command, numbers)."""
    document = path.relative_to(SOURCE)
    blocks, cells, column, before = [], [], None, ""
    lines = path.read_text().splitlines()
    index = 0
    while index < len(lines):
        line = lines[index]
        fence = re.fullmatch(r"```(\w*)", line)
        if fence:
            end = lines.index("```", index + 1)
            blocks.append(Block(document, index + 1, fence.group(1), marks_of(before), lines[index + 1:end]))
            index = end
        elif line.startswith("|"):
            fields = [field.strip() for field in re.split(r"(?<!\\)\|", line)[1:-1]]
            if "command" in fields and "not run" in marks_of(before):
                leave_out(f"{document}:{index + 1}", marks_of(before)["not run"])
            elif "command" in fields:
                column = fields.index("command")
            elif column is not None and fields[column].startswith("`slicepool "):
                answer = " ".join(fields[column + 1:])
                cells.append((f"{document}:{index + 1}", fields[column].strip("`").replace("\\|", "|"),
                              re.findall(r"\*\*(\d+)\*\*", answer)))
        else:
            column = None
        before = line
        index += 1
    return blocks, cells


def anchors(path):
    """The anchors that a Markdown file has: its headings in small letters, blanks as hyphens."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def check_links(path):
    document = path.relative_to(SOURCE)
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file) if file else path
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    report(f"{document}", f"links lead nowhere: {', '.join(broken)}" if broken else None)


def without_timing(lines):
    kept = [line.rstrip() for line in lines if not DROPPED.match(line)]
    return [UNCOMPARED.match(line).group(1) if UNCOMPARED.match(line) else line for line in kept]


def matches(expected, actual):
    """Whether the lines are the expected ones, where `..` stands for any lines, and for the rest of a line."""
    if not expected:
        return not actual
    if expected[0] == "..":
        return any(matches(expected[1:], actual[start:]) for start in range(len(actual) + 1))
    if not actual:
        return False
    head = expected[0]
    same = actual[0].startswith(head[:-2].rstrip()) if head.endswith("..") else actual[0] == head
    return same and matches(expected[1:], actual[1:])


def same_json(shown, printed):
    """Whether two JSON texts are equal. Seconds differ from run to run, and with them the hash at the end of the object."""
    shown, printed = json.loads(shown), json.loads(printed)
    if "seconds" in shown:
        for name in ("seconds", "xxh3"):
            shown.pop(name), printed.pop(name)
    return shown == printed


class Shell:
    """Runs the commands of one document in a folder of their own, which looks like the root of the repository."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True)
        for name in ("configs", "tests", "docs", "bench", "examples"):
            (folder / name).symlink_to(SOURCE / name)
        for name in ("build", "bin"):
            (folder / name).mkdir()
            (folder / name / "slicepool").symlink_to(COMMAND)
        self.environment = dict(os.environ, PATH=f"{folder / 'bin'}:{os.environ['PATH']}")

    def run(self, place, command, expected=None, numbers=(), shown=None):
        try:
            result = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, timeout=120,
                                    stdin=subprocess.DEVNULL, capture_output=True, text=True)
        except subprocess.TimeoutExpired:
            return report(place, f"no end within 120 s: {command}")
        if result.returncode != 0:
            return report(place, f"exit code {result.returncode}: {command}",
                          result.stdout[-2000:] + result.stderr[-2000:])
        if expected is not None and not matches(without_timing(expected), without_timing(result.stdout.splitlines())):
            return report(place, f"prints something else: {command}", result.stdout[:4000])
        if shown is not None and not same_json(shown, result.stdout):
            return report(place, f"prints something else: {command}", result.stdout[:4000])
        missing = [number for number in numbers if not re.search(rf"\b{number}\b", result.stdout)]
        return report(place, f"does not print {', '.join(missing)}: {command}" if missing else None, result.stdout[:4000])

    def commands(self, block):
        """(line number, command, expected output or None) of a console or sh block."""
        start = int(block.place.rsplit(":", 1)[1])
        session = block.kind == "console"
        found = []
        lines = iter(enumerate(block.lines, start + 1))
        for number, line in lines:
            if session and not line.startswith("$ "):
                found[-1][2].append(line)
                continue
            command = line[2:] if session else line
            while command.endswith("\\"):
                command = command[:-1] + next(lines)[1]
            if command.strip() and not command.startswith("#"):
                found.append((f"{block.document}:{number}", command, []))
        return [(place, command, output if session and output else None) for place, command, output in found]


def check_excerpt(block):
    """Every line of the excerpt, less comments and punctuation at its end, stands in the file, in this order."""
    def code(line):
        return re.sub(r"\s+", " ", line.split("//")[0]).strip().rstrip(";{} ")
    text = (SOURCE / block.marks["from"]).read_text()
    where, flat = 0, re.sub(r"\s+", " ", re.sub(r"//.*", "", text))
    for line in filter(None, map(code, block.lines)):
        found = flat.find(line, where)
        if found < 0:
            return report(block.place, f"{block.marks['from']} does not have, or not here: {line}")
        where = found + len(line)
    return report(block.place)


def translation_unit(number, block):
    """A file with a function snippetN() that returns the number of values that are not as shown."""
    includes = [line for line in block.lines if line.startswith("#include")]
    rest = [line for line in block.lines if not line.startswith("#include")]
    with_ = block.marks.get("with", "")
    includes += re.findall(r"#include [<\"][^>\"]+[>\"]", with_)
    with_ = re.sub(r"#include [<\"][^>\"]+[>\"]", "", with_)
    head = ["#include <cstdio>", "#include <type_traits>", "#include <vector>"] + includes
    if "program" in block.marks:
        return "\n".join(head + rest + [f"int snippet{number}() {{ return ({block.marks['program']}) ? 0 : 1; }}", ""])
    outside = []
    while any(re.match(r"(class|struct|template|void) ", line) for line in rest):   # declarations stay outside a function
        start = next(index for index, line in enumerate(rest) if re.match(r"(class|struct|template|void) ", line))
        end = next(index for index in range(start, len(rest)) if rest[index] in ("};", "}"))
        outside += rest[start:end + 1]
        rest = rest[:start] + rest[end + 1:]
    body = []
    for line in rest:
        shown = re.fullmatch(r"(\s*)(\S.*);\s+// (\"[^\"]*\"|\{[^}]*\}|\d+\b|true|false).*", line)
        if shown and "=" not in shown.group(2):
            _, expression, value = shown.groups()
            value = value.strip("{}") if value.startswith("{") else value
            body.append(f"  {{ auto shown = {expression}; if (!(shown == decltype(shown){{{value}}})) "
                        f"{{ std::printf(\"%s is not as shown\\n\", {json.dumps(expression)}); ++wrong; }} }}")
        else:
            body.append(line)
    return "\n".join(head + outside + [f"int snippet{number}() {{", "  int wrong = 0;", with_] + body +
                     ["  return wrong;", "}", ""])


def compile_and_run(blocks, folder):
    """All C++ snippets in one program against the package, as a user builds it."""
    prefix, project = folder / "prefix", folder / "snippets"
    project.mkdir()
    calls, declarations = [], []
    for number, block in enumerate(blocks):
        (project / f"snippet{number}.cpp").write_text(translation_unit(number, block))
        declarations.append(f"int snippet{number}();")
        calls.append(f"  if (argument == {number}) return snippet{number}();")
    (project / "main.cpp").write_text("#include <cstdlib>\n" + "\n".join(declarations) +
                                      "\nint main(int, char** arguments) {\n  const int argument = std::atoi(arguments[1]);\n" +
                                      "\n".join(calls) + "\n  return 1;\n}\n")
    (project / "CMakeLists.txt").write_text("""cmake_minimum_required(VERSION 3.25)
project(snippets LANGUAGES CXX)
find_package(slicepool REQUIRED)
file(GLOB sources *.cpp)
add_executable(snippets ${sources})
target_compile_options(snippets PRIVATE -Wall -Wno-unused-value -Wno-unused-result -Wno-unused-variable)
target_link_libraries(snippets PRIVATE slicepool::core)
""" + f'target_include_directories(snippets PRIVATE "{SOURCE}")\n')
    steps = ([["cmake", "--install", os.environ["SLICEPOOL_BUILD_DIR"], "--prefix", str(prefix)],
              ["cmake", "-S", str(project), "-B", str(project / "build"), "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
               f"-DCMAKE_CXX_COMPILER={os.environ['SLICEPOOL_CXX']}"],
              ["ninja", "-C", str(project / "build"), "-k", "0"]])
    for step in steps:
        result = subprocess.run(step, capture_output=True, text=True)
        if result.returncode != 0:
            places = ", ".join(f"snippet{number} is {block.place}" for number, block in enumerate(blocks))
            return report("C++ snippets", f"{step[0]} failed ({places})", "\n".join(result.stdout.splitlines()[-40:]) + result.stderr[-4000:])
    for number, block in enumerate(blocks):
        result = subprocess.run([project / "build" / "snippets", str(number)], cwd=project, capture_output=True, text=True)
        report(block.place, None if result.returncode == 0 else f"status {result.returncode}", result.stdout + result.stderr)
    return None


def main():
    abilities = subprocess.run([COMMAND, "info"], capture_output=True, text=True, check=True).stdout
    have = {"gpu": re.search(r"^GPU \d", abilities, re.M),
            "fplll": re.search(r"^fplll +yes", abilities, re.M)}
    documents = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md"] + sorted((SOURCE / "docs").rglob("*.md"))
    chosen = sys.argv[1:]
    snippets = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in documents:
            if chosen and not any(part in str(path) for part in chosen):
                continue
            check_links(path)
            blocks, cells = parse(path)
            shell = Shell(folder / str(path.relative_to(SOURCE)).replace("/", "-"))
            for block in blocks:
                need = block.marks.get("needs")
                if block.kind not in FENCES:
                    report(block.place, f"a fence of kind \"{block.kind}\"; accepted: {', '.join(sorted(FENCES))}")
                elif block.kind == "python" and need:    # a module: test_documents.py looks for it
                    report(block.place)
                elif "not run" in block.marks:
                    leave_out(block.place, block.marks["not run"])
                elif need and not have[need]:
                    leave_out(block.place, f"needs {need}")
                elif "from" in block.marks:
                    check_excerpt(block)
                elif "printed by" in block.marks:
                    shell.run(block.place, block.marks["printed by"], shown="\n".join(block.lines))
                elif block.kind == "cpp":
                    snippets.append(block)
                elif block.kind in ("console", "sh"):
                    for place, command, output in shell.commands(block):
                        shell.run(place, command, output)
                elif "file" in block.marks:
                    (shell.folder / block.marks["file"]).write_text("\n".join(block.lines) + "\n")
                    if "then" in block.marks:
                        shell.run(block.place, block.marks["then"])
                elif block.kind == "json":
                    try:
                        json.loads("\n".join(block.lines))
                        report(block.place)
                    except ValueError as error:
                        report(block.place, str(error))
            for place, command, numbers in cells:
                shell.run(place, html.unescape(command), numbers=numbers)
        if not chosen or "README" in chosen:
            shell = Shell(folder / "chart")
            shell.run("docs/pictures/speed.svg", "docs/pictures/speed.py drawn.svg && cmp drawn.svg docs/pictures/speed.svg")
            shell.run("docs/pictures: --help is no file", "for f in speed svp balancing; do docs/pictures/$f.py --help > shown && grep -q usage shown "
                      "&& ! test -e ./--help || exit 1; done")
            shell.run("docs/pictures/svp.svg", "docs/pictures/svp.py drawn.svg && cmp drawn.svg docs/pictures/svp.svg")
            shell.run("docs/pictures/balancing-*.svg", "mkdir drawn && docs/pictures/balancing.py drawn && "
                      "for f in drawn/*; do cmp $f docs/pictures/${f#drawn/} || exit 1; done")
        if snippets and shutil.which("cmake"):
            compile_and_run(snippets, folder)
    print(f"{left_out} not run\n{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
