"""Write docs/api.md from the description of the API; `api-docs.py PATH` writes elsewhere."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "server_ext" / "sandbook_server" / "rest-api.yml"
TARGET = ROOT / "docs" / "api.md"
METHODS = ("get", "head", "post", "put", "patch", "delete")
INTRODUCTION = """\
<!-- Written by scripts/api-docs.py from rest-api.yml: change that, then run it. -->

# The HTTP API

{description}

Addresses follow the base URL of the Jupyter server. `sandbook.client` speaks all that agents need
of it, see [agents](openhands.md); `server_ext/sandbook_server/rest-api.yml` is the same as OpenAPI,
for programs.

## Being let in

{schemes}
"""

Node = dict[str, Any]


class Reference:
    """The description, and how to write it for people."""

    def __init__(self, api: Node) -> None:
        self._api = api

    def document(self) -> Iterator[str]:
        """Write all, address by address."""
        schemes = self._api["components"]["securitySchemes"].values()
        told = "\n".join(
            f"- {each['in']} `{each['name']}`: {_line(each['description'])}" for each in schemes
        )
        description = self._api["info"]["description"].strip()
        yield INTRODUCTION.format(description=description, schemes=told)
        for path, item in self._api["paths"].items():
            for method in METHODS:
                if method in item:
                    shared = item.get("parameters", [])
                    yield from self._operation(path, method, item[method], shared)
        yield "## What is answered\n"
        for name, schema in self._api["components"]["schemas"].items():
            yield f"### {name}\n"
            yield from self._fields(schema)

    def _operation(self, path: str, method: str, told: Node, shared: list[Node]) -> Iterator[str]:
        yield f"## `{method.upper()} {path}`\n"
        who = "The authoriser is asked for `{x-action}`." if "x-action" in told else "Needs no key."
        yield f"{told['summary']}. {who.format_map(told)}\n"
        if "description" in told:
            yield f"{_line(told['description'])}\n"
        yield from self._parameters([*shared, *told.get("parameters", [])])
        if "requestBody" in told:
            yield from self._body(self._found(told["requestBody"]))
        yield "| status | what |\n| --- | --- |"
        for status, response in told["responses"].items():
            yield f"| {status} | {self._response(self._found(response))} |"
        yield ""

    def _parameters(self, parameters: list[Node]) -> Iterator[str]:
        found = [self._found(each) for each in parameters]
        wanted = [each for each in found if each["name"] != "kernel_id"]
        for each in wanted:
            schema = each.get("schema", {})
            must = ", required" if each.get("required") else ""
            about = _line(each.get("description", ""))
            yield f"- {each['in']} `{each['name']}` ({self._kind(schema)}{must}). {about}".rstrip()
        if wanted:
            yield ""

    def _body(self, body: Node) -> Iterator[str]:
        for kind, content in body["content"].items():
            yield f"Body, `{kind}`:\n"
            yield from self._fields(self._found(content["schema"]))

    def _fields(self, schema: Node, above: str = "") -> Iterator[str]:
        properties = schema.get("properties")
        if not properties and not above:
            yield f"- {self._kind(schema)}"
        for name, held in (properties or {}).items():
            field = self._found(held)
            must = ", required" if name in schema.get("required", []) else ""
            about = _line(field.get("description", ""))
            yield f"- `{above}{name}` ({self._kind(held)}{must}). {about}".rstrip()
            yield from self._fields(field, f"{above}{name}.")
        if not above:
            yield ""

    def _response(self, response: Node) -> str:
        about = _line(response.get("description", ""))
        kinds = [
            f"`{kind}`" + (f" {self._kind(content['schema'])}" if "schema" in content else "")
            for kind, content in response.get("content", {}).items()
        ]
        return _cell(f"{about} {', '.join(kinds)}".strip())

    def _kind(self, schema: Node) -> str:
        """Say in words what a value is."""
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            return f"[{name}](#{name.lower()})"
        if "enum" in schema:
            kind = " or ".join(f"`{_value(value)}`" for value in schema["enum"])
        elif "const" in schema:
            kind = f"`{_value(schema['const'])}`"
        elif schema.get("type") == "array" and "items" in schema:
            kind = f"array of {self._kind(schema['items'])}"
        elif "properties" in schema:
            kind = f"object of {', '.join(f'`{name}`' for name in schema['properties'])}"
        else:
            kinds = schema.get("type", "anything")
            kind = kinds if isinstance(kinds, str) else " or ".join(kinds)
        given = f", by default `{_value(schema['default'])}`" if "default" in schema else ""
        return f"{kind}{given}"

    def _found(self, node: Node) -> Node:
        """Follow a reference, if it is one."""
        if "$ref" not in node:
            return node
        found: Any = self._api
        for name in node["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        return self._found(found)


def _line(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _value(value: object) -> str:
    return {None: "null", True: "true", False: "false"}.get(value, str(value))  # type: ignore[call-overload]


if __name__ == "__main__":
    target = Path(sys.argv[1]) if sys.argv[1:] else TARGET
    api: Node = yaml.safe_load(SOURCE.read_text("utf-8"))
    target.write_text("\n".join(Reference(api).document()).rstrip() + "\n", "utf-8")
