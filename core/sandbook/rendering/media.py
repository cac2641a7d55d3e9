"""Shows pictures, drawings, films and sound."""

from base64 import b64encode

from sandbook.rendering.paging import bytes_amount
from sandbook.rendering.picture_size import size_of
from sandbook.rendering.safe import link_html, name_text, url_html
from sandbook.rendering.source import Part, Source, View


def data_url(media_type: str, data: bytes) -> str:
    """Put data into an address. A drawing shown from it can neither act nor load anything."""
    return f"data:{media_type};base64,{b64encode(data).decode()}"


def render_image(source: Source, view: View) -> Part:
    """Show a picture; one that is too large to be part of the page is loaded, or linked to."""
    size = size_of(source.data)
    facts = [f"{size[0]} × {size[1]} pixels"] if size else []  # noqa: RUF001 -- times, not x
    plain = _about(source, *facts)
    if not source.is_cut:
        url = data_url(source.type.media_type, source.data)
    elif view.is_page and view.links.raw:
        url = url_html(view.links.raw)
    else:
        body = "<p>This picture is too large to be shown here.</p>"
        return Part(body, plain, facts)
    body = f'<div class="sb-picture"><img src="{url}" alt=""></div>'
    return Part(body, plain, facts)


def render_player(source: Source, view: View) -> Part:
    """Let a film or sound be played from the address of its bytes, or from the bytes themselves."""
    media_type = source.type.media_type
    url = url_html(view.links.raw)
    plain = _about(source)
    if not url and source.data and not source.is_cut:
        url = data_url(media_type, source.data)
    if not url:
        return Part("<p>It is too large to be played here.</p>", plain, [media_type])
    tag = "video" if media_type.startswith("video/") else "audio"
    link = link_html(view.links.raw, "Download it") if view.links.raw else ""
    body = (
        f'<div class="sb-picture"><{tag} controls preload="metadata" src="{url}">'
        f"{link}</{tag}></div>"
    )
    return Part(body, plain, [media_type])


def _about(source: Source, *facts: str) -> str:
    size = bytes_amount(source.full_size)
    return ", ".join([f"{name_text(source.name)}: {source.type.media_type}", *facts, size])
