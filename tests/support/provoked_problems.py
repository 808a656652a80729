"""Mark requests that provoke problems, in the modules `provoked_by_*`."""


def provokes(code):
    """Mark a function that prepares a request and returns a function that sends it.

    :param code: The code of the problem that the response must be.
    """

    def mark(prepare):
        prepare.code = code
        return prepare

    return mark
