"""What a user can do wrong, whichever part notices it.

Each of these carries a message of one line: what is wrong, where, and the cure. Anything else that is raised is a
defect of gridproof and keeps its traceback.
"""

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.config import ConfigError
from gridproof_implementation.simulator.scenario_file import ScenarioError
from gridproof_implementation.trace import TraceError
from gridproof_model.grid_config import GridConfigError
from gridproof_model.membership import MembershipError
from gridproof_properties.named import NamingError
from gridproof_properties.story import StoryError
from gridproof_reports.build import ReportError
from gridproof_reports.pipeline.errors import PipelineError


class UsageError(Exception):
    """A wrong argument that the parser alone cannot see."""


USER_ERRORS: tuple[type[Exception], ...] = (
    AdapterError,
    ConfigError,
    GridConfigError,
    MembershipError,
    NamingError,
    PipelineError,
    ReportError,
    ScenarioError,
    StoryError,
    TraceError,
    UsageError,
)
