"""sandbook logs: the container's own, or a sentence."""


def test_the_log_of_a_container_or_a_clear_message(sandbook, sandbox, backend, sandbox_request):
    done = sandbook("logs", sandbox_request.sandbox_id[:13])

    if backend.name == "docker":
        assert done.code == 0
        assert "empty" in done.err
    else:
        assert done.code == 1
        assert f"The {backend.name} backend keeps no logs" in done.err
