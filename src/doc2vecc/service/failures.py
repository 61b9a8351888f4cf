"""What a request is refused with: one status, one sentence, and which field it is about."""

from typing import Any

from doc2vecc.errors import Doc2VecCError, UnknownWordError

KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    405: "invalid_request_error",
    408: "timeout_error",
    413: "invalid_request_error",
    422: "invalid_request_error",
    429: "rate_limit_error",
    500: "internal_error",
    503: "unavailable_error",
}
STATUSES = (200, *KINDS)


class RequestError(Doc2VecCError):
    """A request that is refused: the status, the sentence, the field and a short code."""

    def __init__(
        self, status: int, message: str, *, param: str | None = None, code: str | None = None, retry: bool = False
    ) -> None:
        super().__init__(message)
        self.status = status
        self.param = param
        self.code = code
        self.retry = retry  # the same request may succeed a second later

    def content(self) -> dict[str, Any]:
        """Return the body of the answer, as OpenAI's clients read it."""
        return {"error": {"message": str(self), "type": KINDS[self.status], "param": self.param, "code": self.code}}


def as_request_error(error: Doc2VecCError) -> RequestError:
    """Return the refusal that fits a user's mistake."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, UnknownWordError):
        return RequestError(404, str(error), code="unknown_word")
    return RequestError(422, str(error), code="invalid_value")
