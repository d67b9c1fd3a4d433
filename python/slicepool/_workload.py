"""Searches of the user's own: compiles C++ text, keeps what was compiled, and runs it on the pool."""
from __future__ import annotations

import functools
import hashlib
import math
import numbers
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from typing import Any

from . import _slicepool
from ._configurations import info
from ._options import RUN_OPTIONS, RunOptions
from ._runs import Run
from .errors import CompilerError, ConfigError

_HEADERS = pathlib.Path(__file__).parent / "include"
_FLAGS = ("-std=c++20", "-O3", "-fPIC", "-shared", "-fvisibility=hidden", "-fdiagnostics-color=never")
_COMPILERS = ("c++", "g++", "clang++")
#: Members of the JSON document of a run, which a parameter cannot be called.
_TAKEN = {*RUN_OPTIONS, "workload", "engine", "output", "description", "time_limit_seconds"}
#: The CUDA part of the library, of which a compiled text with kernels has a copy.
_CUDA = pathlib.Path(__file__).parent / "cuda"
_CUDA_FLAGS = ("-std=c++20", "-O3", "--expt-relaxed-constexpr", "-cudart", "static", "-DSLICEPOOL_PYTHON_CUDA=1")
_CUDA_SOURCES = ("cuda_check", "cuda_device_base", "cuda_seat", "device_buffer", "pinned_memory", "pinned_ring", "word_replicas")
_WRAPPER = '#include <slicepool/python/workload.hpp>\n#include "workload.hpp"\n'


class Workload:
    """A search of your own, from C++ text: a step function that CPU workers, the lane emulator and GPUs execute.

    The text is a workload as docs/adding-a-workload.md describes it (`examples/nqueens/nqueens.hpp` is one), and a last line
    that names the class and the numbers of its View that `run` takes: `SLICEPOOL_PYTHON_WORKLOAD(NQueens, n);`. The search begins at
    `static Slice root(const View&)`, or at `roots`, which returns a `std::vector` of slices; both may throw
    `slicepool::ConfigError` for numbers that they do not accept. The code runs in this process, so that a mistake in it can end
    the process.

    Immutable, hashable, equal where text, compiler and flags are, and picklable: another process compiles the text, or finds it
    compiled.
    """

    __slots__ = ("_text", "_compiler", "_flags", "_cuda", "_loaded", "_identity")

    def __init__(self, text: str, compiler: str, flags: tuple[str, ...], cuda: bool | str | None = False) -> None:
        self._text, self._compiler, self._flags, self._cuda = text, compiler, flags, cuda
        # Flags such as -DQUEENS=2 make another search of the same text.
        self._identity = _key(text, *shlex.split(compiler)[1:], *flags)
        self._loaded = _slicepool.LoadedWorkload(str(_compiled(text, compiler, flags, _architectures(cuda))))
        if taken := sorted(_TAKEN.intersection(self._loaded.parameters)):
            raise ConfigError(f"parameters: got {taken[0]!r}, which is an option of runs; accepted: another name", "parameters")

    @classmethod
    def from_source(cls, text: str, *, compiler: str | None = None, flags: Iterable[str] = (), cuda: bool | str | None = None) -> Workload:
        """Compiles the text, or takes what was compiled before.

        `compiler`: a command that takes the options of g++ (None: $CXX, else the first of c++, g++ and clang++ that is
        installed; C++20 is needed). `flags`: more options, such as "-march=native" or "-I.." of headers that the text includes.
        What was compiled is kept in $SLICEPOOL_CACHE_DIR, else in `slicepool` of the user's cache folder, under a hash of text,
        compiler with its version, flags, and the headers of this package; a change in a header that the text includes itself is
        not seen. Any number of processes may do this at once. Takes some seconds the first time.

        `cuda`: True: nvcc compiles the text for the GPUs of this machine as well, with the compiler for its host side, in a minute
        the first time; a text such as "90" or "80,90": for these compute capabilities; False: not. None: where this build has CUDA
        workers, there is a GPU, and nvcc is $CUDACXX, on PATH or in /usr/local/cuda/bin. This asks the driver. Raises CompilerError where there
        is no compiler, and with the compiler's messages, whose lines are those of the text.
        """
        if not isinstance(text, str):
            raise TypeError(f"text: got {type(text).__name__}; accepted: C++ text")
        return cls(text, compiler or _found_compiler(), tuple(flags), cuda)

    @property
    def name(self) -> str:
        """The class of the workload."""
        return str(self._loaded.name)

    @property
    def parameters(self) -> tuple[str, ...]:
        """What `run` takes by name, beside the options of runs."""
        return tuple(self._loaded.parameters)

    @property
    def has_kernels(self) -> bool:
        """Whether GPUs can run it."""
        return bool(self._loaded.has_kernels)

    def run(self, **arguments: Any) -> int:
        """Searches and returns the number of results. `arguments`: all parameters, which are numbers, and options of
        `slicepool.options`. Raises ConfigError, and TypeError for missing and unknown names."""
        return self.start(**arguments).result()

    def start(self, **arguments: Any) -> Run[int]:
        """Begins the search in the background. `Run.report` has the record, with the timeline of the workers."""
        if missing := [name for name in self.parameters if name not in arguments]:
            raise TypeError(f"run() needs {', '.join(missing)}: the parameters of {self.name} are {', '.join(self.parameters)}")
        given = {name: _number(name, arguments.pop(name)) for name in self.parameters}
        options = RunOptions("run", arguments, self.parameters)
        document = options.document(self.name, **given)
        job = _slicepool.SourceJob(document, options.follow, self._loaded, list(given.values()), self._identity)
        return Run(job, lambda done: int(done.count()), options.progress)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Workload):
            return NotImplemented
        return (self._text, self._compiler, self._flags, self._cuda) == (other._text, other._compiler, other._flags, other._cuda)

    def __hash__(self) -> int:
        return hash((Workload, self._text, self._compiler, self._flags, self._cuda))

    def __reduce__(self) -> tuple[Any, ...]:
        return Workload, (self._text, self._compiler, self._flags, self._cuda)

    def __repr__(self) -> str:
        return f"<Workload {self.name}({', '.join(self.parameters)})>"


def _number(name: str, value: Any) -> int | float:
    """What C++ is given. Raises ConfigError."""
    if isinstance(value, numbers.Integral) and -2**63 <= int(value) < 2**63:
        return int(value)
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral) and math.isfinite(value):
        return float(value)
    raise ConfigError(f"{name}: got {value!r}; accepted: a finite number, of integers from -2^63 to 2^63-1", name)


def _found_compiler() -> str:
    chosen = os.environ.get("CXX") or next(filter(shutil.which, _COMPILERS), None)
    if chosen is None:
        raise CompilerError(f"a workload from source needs a C++20 compiler, and none of {', '.join(_COMPILERS)} is on PATH; "
                            "install one (Debian: g++; conda: cxx-compiler), or name one by compiler= or $CXX")
    return chosen


@functools.cache
def _version(compiler: str) -> str:
    """Where the compiler is, and what it says that it is."""
    command = shlex.split(compiler)
    where = shutil.which(command[0]) if command else None
    if where is None:
        raise CompilerError(f"compiler: got {compiler!r}, which is no program on PATH; accepted: a C++20 compiler with the options of g++")
    try:
        said = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise CompilerError(f"compiler: {compiler!r} does not answer --version ({error})") from None
    return f"{os.path.realpath(where)}\n{said}"


def _found_nvcc() -> str | None:
    given = os.environ.get("CUDACXX")
    return shutil.which(given) if given else shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")


def _architectures(cuda: bool | str | None) -> tuple[str, ...]:
    """What nvcc is to compile for; nothing: the text is compiled without kernels."""
    if cuda is False:
        return ()
    missing = None
    if not _slicepool.BUILT_WITH_CUDA:
        missing = "this build of slicepool has no CUDA workers"
    elif _found_nvcc() is None:
        missing = "nvcc is not on PATH; install the CUDA toolkit, or name it by $CUDACXX"
    if isinstance(cuda, str):
        wanted = tuple(sorted({part.strip() for part in cuda.split(",")}))
        if not all(part.isdigit() for part in wanted):
            raise ConfigError(f"cuda: got {cuda!r}; accepted: True, False, None or compute capabilities such as '80,90'", "cuda")
    else:
        wanted = () if missing else tuple(sorted(set(_slicepool.gpu_architectures())))
        if not wanted and not missing:
            missing = "this machine has no GPU to compile for; cuda='90' names one"
    if missing is None:
        return wanted
    if cuda is None:
        return ()
    raise CompilerError(f"a workload with kernels cannot be compiled: {missing}")


@functools.cache
def _headers(kernels: bool) -> str:
    """A hash of the headers: objects that the library and the compiled text share are laid out as these say."""
    root = _HEADERS / "slicepool"
    paths = [path for room in ("core", "detail", "python") for path in (root / room).glob("*.hpp")]
    if kernels:
        paths += [path for path in (_CUDA / "slicepool" / "detail" / "cuda").iterdir() if path.is_file()]
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _cache() -> pathlib.Path:
    if given := os.environ.get("SLICEPOOL_CACHE_DIR"):
        return pathlib.Path(given)
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "slicepool"


def _compiled(text: str, compiler: str, flags: tuple[str, ...], architectures: tuple[str, ...]) -> pathlib.Path:
    """The compiled text in the cache."""
    options = (*_FLAGS, f"-D_GLIBCXX_USE_CXX11_ABI={_slicepool.CXX11_ABI}", *flags)
    parts = [_version(compiler), *options, str(info(gpus=False)["version"]), _headers(bool(architectures)), _WRAPPER]
    if not architectures:
        command = [*shlex.split(compiler), f"-I{_HEADERS}", *options]
        return _kept(f"{_key(text, *parts)}.so", lambda folder: _compile(folder, text, [*command, "wrapper.cpp", "-o", "made"]))
    nvcc = _found_nvcc() or ""
    parts += [_version(nvcc), *_CUDA_FLAGS, *architectures]
    command = [nvcc, *_CUDA_FLAGS, "-ccbin", shlex.split(compiler)[0], f"-I{_HEADERS}", f"-I{_CUDA}",
               f"-D_GLIBCXX_USE_CXX11_ABI={_slicepool.CXX11_ABI}", "-Xcompiler=-fPIC,-fvisibility=hidden,-fdiagnostics-color=never",
               *(f"-gencode=arch=compute_{number},code=sm_{number}" for number in architectures)]
    # The library's part is the same for all texts, and takes most of the time.
    sources = [str(_CUDA / "slicepool" / "detail" / "cuda" / f"{name}.cu") for name in _CUDA_SOURCES]
    part = _kept(f"{_key('cuda', *parts)}.a", lambda folder: _run([*command, "-lib", *sources, "-o", "made"], folder, "the CUDA part of slicepool"))
    for flag in flags:
        command.append(flag if flag[:2] in ("-I", "-D", "-U") else f"-Xcompiler={flag}")
    return _kept(f"{_key(text, *parts)}.so",
                 lambda folder: _compile(folder, text, [*command, "-shared", "wrapper.cu", str(part), "-o", "made"]))


def _key(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _kept(name: str, make: Callable[[pathlib.Path], None]) -> pathlib.Path:
    """A file of the cache; `make` leaves it as `made` in a folder of its own where it is not there."""
    kept = _cache() / name
    if kept.exists():
        return kept
    try:
        kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent, prefix="compiling-") as folder:
            make(pathlib.Path(folder))
            os.replace(pathlib.Path(folder, "made"), kept)    # whole or absent, also where others compile the same
    except OSError as error:
        raise CompilerError(f"the compiled text cannot be kept in {kept.parent} ({error.strerror}); $SLICEPOOL_CACHE_DIR names another folder") from None
    return kept


def _compile(folder: pathlib.Path, text: str, command: list[str]) -> None:
    """The text is a file of its own, so that messages have its lines and show them."""
    (folder / "workload.hpp").write_text(text, encoding="utf-8")
    for suffix in ("cpp", "cu"):
        (folder / f"wrapper.{suffix}").write_text(_WRAPPER, encoding="utf-8")
    _run(command, folder, "the text")


def _run(command: list[str], folder: pathlib.Path, what: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise CompilerError(f"{what} does not compile ({shlex.join(command)}):\n{(done.stderr + done.stdout).strip()}")
