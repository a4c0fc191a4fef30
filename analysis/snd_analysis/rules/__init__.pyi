from snd_analysis.base import Rule
from snd_analysis.rules.constants import constant_indices as constant_indices
from snd_analysis.rules.control_flow import loop_count as loop_count
from snd_analysis.rules.control_flow import scan_lengths as scan_lengths
from snd_analysis.rules.expressions import division_by_zero as division_by_zero
from snd_analysis.rules.expressions import empty_extremum as empty_extremum
from snd_analysis.rules.expressions import negative_exponent as negative_exponent
from snd_analysis.rules.expressions import null_not_allowed as null_not_allowed
from snd_analysis.rules.formulas import fold_of_access as fold_of_access
from snd_analysis.rules.formulas import int_overflow as int_overflow
from snd_analysis.rules.formulas import tensor_not_accessed as tensor_not_accessed
from snd_analysis.rules.invocations import argument_rank as argument_rank
from snd_analysis.rules.invocations import argument_shape as argument_shape
from snd_analysis.rules.invocations import generic_conflict as generic_conflict
from snd_analysis.rules.invocations import generic_outside_base as generic_outside_base
from snd_analysis.rules.packs import decomposition_mismatch as decomposition_mismatch
from snd_analysis.rules.packs import index_out_of_range as index_out_of_range
from snd_analysis.rules.packs import length_mismatch as length_mismatch
from snd_analysis.rules.packs import unexpected_pack as unexpected_pack
from snd_analysis.rules.packs import zero_step as zero_step
from snd_analysis.rules.packs import zip_not_expanded as zip_not_expanded
from snd_analysis.rules.samples import equal_by_accident as equal_by_accident
from snd_analysis.rules.syntax import nesting_too_deep as nesting_too_deep
from snd_analysis.rules.syntax import syntax_error as syntax_error

ABSTRACT_TYPE: Rule
ACCESS_OUTSIDE_LOWER: Rule
ACCESS_OUT_OF_RANGE: Rule
AMBIGUOUS_DECOMPOSITION: Rule
AMBIGUOUS_SHAPE: Rule
ARGUMENT_COUNT: Rule
ARGUMENT_RANK: Rule
ARGUMENT_SHAPE: Rule
ASSERTION_FAILS: Rule
ASSIGNED_TWICE: Rule
ASSIGNMENT_OPERATOR: Rule
ATTRIBUTE_COLON: Rule
BAKED_EXTENT: Rule
BOUNDED_OUTSIDE_INDEX: Rule
BOUNDS_DIFFER: Rule
BRANCH_RANKS: Rule
BRANCH_RESULTS: Rule
BRANCH_TYPES: Rule
CAPTURED_RANKS_DIFFER: Rule
CARRIED_COUNT: Rule
CARRIED_SHAPE: Rule
CARRIED_TYPE: Rule
CAST_TYPE: Rule
CIRCULAR_DEFAULT: Rule
COALESCE_NOT_OPTIONAL: Rule
CONDITION_SHAPE: Rule
CONDITION_TYPE: Rule
CONSTANT_INDICES: Rule
CONSTANT_VALUES: Rule
DECOMPOSITION_MISMATCH: Rule
DEPRECATED_FORM: Rule
DIVISION_BY_ZERO: Rule
DIVISOR_MAY_BE_ZERO: Rule
DUPLICATE_ATTRIBUTE: Rule
DUPLICATE_DEFINITION: Rule
DUPLICATE_LABEL: Rule
DUPLICATE_QUANTIZATION: Rule
DYNAMIC_FOR_STATIC: Rule
DYNAMIC_VARIABLE: Rule
EMPTY_EXTREMUM: Rule
ENDLESS_LOOP: Rule
EQUAL_BY_ACCIDENT: Rule
EXPANSION_WITHOUT_LENGTH: Rule
EXTENT_MAY_BE_NEGATIVE: Rule
EXTENT_NOT_EXPANDED: Rule
FILE_TOO_LARGE: Rule
FOLD_OF_ACCESS: Rule
GENERIC_BASE: Rule
GENERIC_CONFLICT: Rule
GENERIC_COUNT: Rule
GENERIC_DEFAULT: Rule
GENERIC_NOT_DEDUCIBLE: Rule
GENERIC_OUTSIDE_BASE: Rule
GRAPH_INVOKED: Rule
IGNORED_ARGUMENT: Rule
ILLEGAL_ASSIGNMENT: Rule
ILLEGAL_BOUND: Rule
ILLEGAL_CHARACTER: Rule
ILLEGAL_DEFAULT: Rule
ILLEGAL_INDEX_BOUND: Rule
ILLEGAL_OPTIONAL: Rule
ILLEGAL_RANK_CAPTURE: Rule
INDEX_COUNT: Rule
INDEX_OUT_OF_RANGE: Rule
INTERNAL_ERROR: Rule
INT_OVERFLOW: Rule
INVALID_ENCODING: Rule
INVALID_ESCAPE: Rule
INVALID_LABEL: Rule
INVALID_SUBMODEL: Rule
INVALID_TENSOR_FILE: Rule
ITEM_EXTENT: Rule
KEYWORD_AS_NAME: Rule
LEFT_SIDE: Rule
LENGTH_MISMATCH: Rule
LOOP_COUNT: Rule
MALFORMED_FORMAT: Rule
MALFORMED_NUMBER: Rule
MISALIGNED_BIAS: Rule
MISSING_ARGUMENT: Rule
MISSING_ATTRIBUTE: Rule
MISSING_COMMA: Rule
MISSING_LENGTH: Rule
MISSING_SHAPE: Rule
MISSING_VALUE: Rule
MISSING_YIELD: Rule
NEGATIVE_EXPONENT: Rule
NEGATIVE_EXTENT: Rule
NESTED_INVOCATION: Rule
NESTING_TOO_DEEP: Rule
NOT_AFFINE: Rule
NOT_FOR_ALL_SIZES: Rule
NOT_INDEXABLE: Rule
NOT_VISIBLE: Rule
NO_SUCH_FOLD: Rule
NULL_NOT_ALLOWED: Rule
OMITTED_EXTENT: Rule
OPERAND_TYPE: Rule
OPTIONAL_DEFAULT: Rule
OUTPUT_NOT_ASSIGNED: Rule
OUTPUT_SHAPE: Rule
OUTPUT_TYPE: Rule
OVERWRITTEN_OUTPUT: Rule
PACKED_RESULT_WITHOUT_LENGTH: Rule
PACK_EXPECTED: Rule
PACK_NOT_EXPANDED: Rule
PACK_RANKS_DIFFER: Rule
POSSIBLE_OVERFLOW: Rule
PRECISION_EXCEEDED: Rule
PRIVATE_OPERATOR: Rule
PRIVATE_TENSOR: Rule
QUANTIZATION_ALGORITHM: Rule
QUANTIZATION_WITH_ARGUMENTS: Rule
RAGGED_TENSOR: Rule
RANGE_WITHOUT_END: Rule
READS_OWN_OUTPUT: Rule
RECURSIVE_OPERATOR: Rule
REMAP_NOTATION: Rule
RESERVED_NAME: Rule
RESULT_COUNT: Rule
RESULT_SHAPE: Rule
RUN_TIME_COUNT: Rule
SAMPLE_DIFFERS: Rule
SAMPLE_FAILS: Rule
SAMPLE_RESULT_SHAPE: Rule
SAMPLE_SYNTAX: Rule
SAMPLE_WITHOUT_RESULT: Rule
SCAN_LENGTHS: Rule
SHARED_VARIABLES: Rule
SYNTAX_ERROR: Rule
TENSOR_ATTRIBUTE: Rule
TENSOR_IN_EXPRESSION: Rule
TENSOR_NOT_ACCESSED: Rule
TOO_MANY_ARGUMENTS: Rule
TOO_MANY_FORMULAS: Rule
TOSA_CONSTANT: Rule
TOSA_OPERATOR: Rule
TOSA_SCALE: Rule
TOSA_SHAPE: Rule
TOSA_TYPE: Rule
TWO_CONDITIONS: Rule
TWO_FLEXIBLE_RESULTS: Rule
TWO_PACKED_INDICES: Rule
TYPE_AS_VALUE: Rule
TYPE_MISMATCH: Rule
UNBOUNDED_EXTENT: Rule
UNCLOSED_BRACKET: Rule
UNCLOSED_STRING: Rule
UNCOUNTED_EXTENT: Rule
UNDEFINED_NAME: Rule
UNEXPECTED_PACK: Rule
UNIFORM_DEFAULT: Rule
UNIFORM_LENGTH: Rule
UNKNOWN_ATTRIBUTE: Rule
UNKNOWN_MEMBER: Rule
UNKNOWN_MODULE: Rule
UNKNOWN_OPERATOR: Rule
UNKNOWN_QUANTIZED_TENSOR: Rule
UNPREDICTABLE_RESULT: Rule
UNPROVEN_SHAPE: Rule
UNREADABLE_FILE: Rule
UNROLL_DYNAMIC: Rule
UPDATE_SHAPE: Rule
UPDATE_TYPE: Rule
UPDATE_WITHOUT_INITIAL: Rule
USED_BEFORE_DEFINITION: Rule
VALUE_TOO_LARGE: Rule
YIELD_NOT_LAST: Rule
ZERO_STEP: Rule
ZIP_NOT_EXPANDED: Rule
