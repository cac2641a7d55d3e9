"""The file in a form, found while the form still comes in. Pure."""

from typing import Any

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from sandbook.errors import InvalidRequestError
from sandbook.files.paths import to_text

FIELD = b"file"


class FileForm:
    """A `multipart/form-data` body; all but the file in its field `file` is passed over."""

    def __init__(self, content_type: str) -> None:
        kind, options = parse_options_header(content_type)
        if kind != b"multipart/form-data" or not options.get(b"boundary"):
            raise InvalidRequestError("Send the file as multipart/form-data, in the field `file`.")
        self.filename: str | None = None
        """The name of the file, as soon as it is known."""
        self.is_complete = False
        """Whether all of the file has come."""
        self._is_file = False
        self._headers: dict[bytes, bytes] = {}
        self._field = self._value = b""
        self._pieces: list[bytes] = []
        self._parser = self._parser_of(options[b"boundary"])

    def _parser_of(self, boundary: bytes) -> MultipartParser:
        steps: Any = {
            "on_part_begin": self._headers.clear,
            "on_header_field": self._on_field,
            "on_header_value": self._on_value,
            "on_header_end": self._on_header_end,
            "on_headers_finished": self._on_headers_finished,
            "on_part_data": self._on_data,
            "on_part_end": self._on_part_end,
        }
        try:
            return MultipartParser(boundary, steps)
        except FormParserError as error:
            raise InvalidRequestError(f"The form cannot be read: {error}.") from error

    def feed(self, data: bytes) -> bytes:
        """Take a piece of the body; give back what of it belongs to the file.

        Raises:
            InvalidRequestError: This is no form.
        """
        try:
            self._parser.write(data)
        except FormParserError as error:
            raise InvalidRequestError(f"The form is broken: {error}.") from error
        found = b"".join(self._pieces)
        self._pieces.clear()
        return found

    def _on_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def _on_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _on_header_end(self) -> None:
        self._headers[self._field.lower()] = self._value
        self._field = self._value = b""

    def _on_headers_finished(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition"))
        is_named = options.get(b"name") == FIELD and b"filename" in options
        self._is_file = is_named and self.filename is None
        if self._is_file:
            self.filename = to_text(options[b"filename"])

    def _on_data(self, data: bytes, start: int, end: int) -> None:
        if self._is_file:
            self._pieces.append(data[start:end])

    def _on_part_end(self) -> None:
        self.is_complete = self.is_complete or self._is_file
        self._is_file = False
