"""Settings that are numbers of something."""

import math
from typing import Any

from traitlets import Float, HasTraits


class Amount(Float[float, float]):
    """A number that there can be of something: neither infinite nor no number at all."""

    def validate(self, obj: HasTraits, value: Any) -> float:
        """Take it, or refuse it with the name of the trait."""
        number = super().validate(obj, value)
        if not math.isfinite(number):
            self.error(obj, value)
        return number
