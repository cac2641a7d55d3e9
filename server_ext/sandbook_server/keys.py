"""The keys of sandboxes: whoever has one may act in that sandbox, and nowhere else."""

import hmac
import secrets
from collections.abc import Container
from typing import Any

from jupyter_server.auth.identity import User

HEADER = "X-Session-API-Key"


class Keys:
    """One key for each sandbox that has any; it is good as long as its kernel is there."""

    def __init__(self, kernels: Container[str]) -> None:
        self._kernels = kernels
        self._keys: dict[str, str] = {}

    def give(self, sandbox_id: str, key: str = "") -> str:
        """Set the key of a sandbox; a new one, unless one is wished for."""
        return self._keys.setdefault(sandbox_id, key or secrets.token_urlsafe(32))

    def drop(self, sandbox_id: str) -> None:
        """Forget the key of a sandbox that is gone."""
        self._keys.pop(sandbox_id, None)

    def fits(self, sandbox_id: str, key: str) -> bool:
        """Say whether a key is that of the sandbox, without telling how nearly."""
        known = self._keys.get(sandbox_id, "")
        is_same = bool(known) and hmac.compare_digest(known.encode(), key.encode())
        return is_same and sandbox_id in self._kernels


class KeyIdentity:
    """Lets in who has the key of the sandbox that is asked for, and whom Jupyter lets in."""

    def __init__(self, provider: Any, keys: Keys) -> None:
        self._provider = provider
        self._keys = keys

    def get_user(self, handler: Any) -> Any:
        """Tell who asks; nobody, if nobody knows."""
        if self.has_key(handler):
            return User(username=f"agent-{handler.path_kwargs['kernel_id'][:8]}", name="Agent")
        return self._provider.get_user(handler)

    def is_token_authenticated(self, handler: Any) -> bool:
        """Say whether it was no browser's cookie, so that no other page can have sent it."""
        return self.has_key(handler) or self._provider.is_token_authenticated(handler)

    def has_key(self, handler: Any) -> bool:
        """Say whether it came with the key of the sandbox that it is about."""
        key = handler.request.headers.get(HEADER, "")
        return bool(key) and self._keys.fits(handler.path_kwargs.get("kernel_id", ""), key)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._provider, name)
