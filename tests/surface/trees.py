"""Small engine trees in three releases, and how they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ratchet.surface import Release, read_release
from tests.shipped import PACK

CONTEXT = """
class Parallel:
    def __init__(self):
        self.config = None

    @property
    def tp_rank(self):
        return 0

    @property
    def attn_tp_rank(self):
        return 0

    def __getattr__(self, name):
        return getattr(self.config, name)

class Context:
    def override(self, source, **fields):
        pass

def get_parallel() -> Parallel: ...
def get_exec(): ...
def get_context() -> Context: ...
def get_server_args(): ...
"""

RECORD = '''
from sglang.srt.utils import helper

@dataclass
class ServerArgs:
    page_size: A[int, NS("memory")] = 1
    pages: A[int, NS("exec.moe")] = 1
    tp_size: A[int, NS("parallel")] = 1
    old_flag: A[bool, NS("exec.moe")] = False

    def url(self, port=None, *, secure=False):
        pass

    def override(self, source, **fields):
        pass

    @property
    def device(self):
        return "cpu"

def get_global_server_args():
    """The record."""
    return _record
'''

OLD: dict[str, str] = {
    "srt/__init__.py": "",
    "srt/runtime_context.py": CONTEXT,
    "srt/server_args.py": RECORD,
    "srt/utils/__init__.py": "from sglang.srt.utils.common import *\n",
    "srt/utils/common.py": "import torch\n\ndef helper(): ...\ndef _own(): ...\nLIMIT = 3\n",
    "srt/cache.py": "class Cache: ...\nclass Pool: ...\ndef evict(): ...\ndef twice(): ...\n",
    "srt/jobs/deep.py": "class Deep: ...\ndef other(): ...\n",
    "srt/gone.py": "class Worker: ...\nclass Task: ...\n",
    "srt/lazy.py": 'LAZY = {"later": "sglang.srt.cache"}\ndef __getattr__(name): ...\n',
    "srt/layers/dp_attention.py": "def get_attention_tp_rank(): ...\ndef keep(): ...\n",
    "srt/layers/attention.py": "def get_attention_rank(): ...\nclass Backend: ...\n",
}

# In the second one `Cache` has moved; in the third more is gone, and the record is made in another way.
MIDDLE: dict[str, str] = {
    **OLD,
    "srt/runtime_context.py": CONTEXT + "def get_memory(): ...\n",
    "srt/cache.py": "class Pool: ...\ndef evict(): ...\ndef twice(): ...\n",
    "srt/mem/cache.py": "class Cache: ...\n",
}
NEW: dict[str, str] = {
    **{path: text for path, text in MIDDLE.items() if path not in ("srt/gone.py", "srt/jobs/deep.py")},
    "srt/cache.py": "class Pool: ...\ndef evict_all(): ...\n",
    "srt/mem/a.py": "def twice(): ...\n",
    "srt/mem/b.py": "def twice(): ...\n",
    "srt/jobs/worker.py": "class Worker: ...\n",
    "srt/layers/dp_attention.py": "def keep(): ...\n",
    "srt/jobs/new.py": "class Deep: ...\n",
    "srt/jobs/gone.py": "class Other: ...\n",
    "srt/server_args.py": RECORD.replace('    old_flag: A[bool, NS("exec.moe")] = False\n', "")
    .replace('pages: A[int, NS("exec.moe")]', 'pages: A[int, NS("memory")]')
    .replace("return _record", 'raise RuntimeError("read a namespace")')
    .replace("port=None, *, secure=False", "port=None")
    .replace("    def override(self, source, **fields):\n        pass\n", "")
    + "\nServerArgs = make(ServerArgs)\n",
}


def read_tree(engine: str, files: Mapping[str, str]) -> Release:
    """The surface of a tree that is given as texts."""

    def read(path: str) -> bytes | None:
        return files[path].encode() if path in files else None

    def list_files(path: str) -> Sequence[str]:
        return [name for name in files if name == path or name.startswith(f"{path}/")]

    return read_release(engine, read, list_files, PACK)


def releases() -> tuple[Release, ...]:
    """The three releases."""
    return read_tree("1.0", OLD), read_tree("1.1", MIDDLE), read_tree("2.0", NEW)
