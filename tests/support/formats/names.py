"""What the specifications call their operators, inputs, attributes and outputs (facts of the texts, by section)."""

TOSA = """
ARGMAX(input) axis -> output
AVG_POOL2D(input) kernel stride pad input_zp output_zp -> output
CONV2D(input weight bias) pad stride dilation input_zp weight_zp -> output
CONV3D(input weight bias) pad stride dilation input_zp weight_zp -> output
DEPTHWISE_CONV2D(input weight bias) pad stride dilation input_zp weight_zp -> output
FFT2D(input_real input_imag) inverse -> output_real output_imag
FULLY_CONNECTED(input) weight bias input_zp weight_zp -> output
MATMUL(A B) A_zp B_zp -> output
MAX_POOL2D(input) kernel stride pad -> output
RFFT2D(input) -> output_real output_imag
TRANSPOSE_CONV2D(input weight bias) out_pad stride out_shape input_zp weight_zp -> output
CLAMP(Input) min_val max_val -> Output
SIGMOID(Input) -> Output
TANH(Input) -> Output
ADD(input1 input2) -> output
ARITHMETIC_RIGHT_SHIFT(input1 input2) round -> output
BITWISE_AND(input1 input2) -> output
BITWISE_OR(input1 input2) -> output
BITWISE_XOR(input1 input2) -> output
INTDIV(input1 input2) -> output
LOGICAL_AND(input1 input2) -> output
LOGICAL_LEFT_SHIFT(input1 input2) -> output
LOGICAL_RIGHT_SHIFT(input1 input2) -> output
LOGICAL_OR(input1 input2) -> output
LOGICAL_XOR(input1 input2) -> output
MAXIMUM(input1 input2) -> output
MINIMUM(input1 input2) -> output
MUL(input1 input2 shift) -> output
POW(input1 input2) -> output
SUB(input1 input2) -> output
TABLE(Input table) -> output
ABS(input1) -> output
BITWISE_NOT(input1) -> output
CEIL(input1) -> output
CLZ(input1) -> output
EXP(input1) -> output
FLOOR(input1) -> output
LOG(input1) -> output
LOGICAL_NOT(input1) -> output
NEGATE(input1) input1_zp output_zp -> output
RECIPROCAL(input1) -> output
RSQRT(input1) -> output
SELECT(input1 input2 input3) -> output
EQUAL(input1 input2) -> output
GREATER(input1 input2) -> output
GREATER_EQUAL(input1 input2) -> output
REDUCE_ALL(input) axis -> output
REDUCE_ANY(input) axis -> output
REDUCE_MAX(input) axis -> output
REDUCE_MIN(input) axis -> output
REDUCE_PRODUCT(input) axis -> output
REDUCE_SUM(input) axis -> output
CONCAT(input1) axis -> output
PAD(input1) padding pad_const -> output
RESHAPE(input1) new_shape -> output
REVERSE(input) axis -> output
SLICE(input1) start size -> output
TILE(input1) multiples -> output
TRANSPOSE(input1) perms -> output
GATHER(values indices) -> output
SCATTER(values_in indices input) -> values_out
RESIZE(input) output_size stride offset border shift mode -> output
CAST(input) -> output
RESCALE(input multiplier shift) input_zp output_zp scale32 double_round per_channel -> output
CONST() values -> output
IDENTITY(input1) -> output
"""
"""`OPERATOR(inputs) attributes -> outputs`; inputs of one profile may be attributes in another."""

CVM = """
sum(X) axes keepdims exclude -> Y
max(X) axes keepdims exclude -> Y
broadcast_add(A B) -> Y
broadcast_sub(A B) -> Y
broadcast_mul(A B) -> Y
broadcast_div(A B) -> Y
broadcast_max(A B) -> Y
Convolution(X W B) padding stride dilation groups -> Y
Dense(X W B) units use_bias -> Y
Relu(X) -> Y
MaxPooling(X) pool_size padding strides ceil_mode -> Y
Upsampling(X) scale -> Y
abs(X) -> Y
cvm_precision(X) -> Y
elemwise_add(A B) -> Y
elemwise_sub(A B) -> Y
negative(X) -> Y
clip(X) a_min a_max -> Y
cvm_clip(X) precision -> Y
cvm_right_shift(X) precision shift_bit -> Y
cvm_left_shift(X) precision shift_bit -> Y
repeat(X) axis repeats -> Y
tile(X) reps -> Y
flatten(X) -> Y
concatenate(I) axis -> Y
expand_dims(X) axis num_newaxis -> Y
reshape(X) target_shape -> Y
squeeze(X) axes -> Y
transpose(X) axes -> Y
slice(X) begin end strides -> Y
strided_slice(X) begin end strides -> Y
take(X indices) axis -> Y
cvm_lut(indices X) -> Y
slice_like(X shape_like) axes -> Y
get_valid_count(X) score_threshold -> valid_count Y
non_max_suppression(X valid_count) iou_threshold max_output_size force_suppress top_k -> Y
"""
"""`slice | strided_slice` are one operator with two names."""

TENNIS = """
_field(a) offset -> field
_pack(a) -> packed
_resize2d(a size) type -> resized
_image_resize2d(a size) type -> resized
_transpose(a) permute -> b
permute(a) permute -> b
_reshape(a) shape -> b
_dimshuffle(x) dim shuffle -> y
conv2d(x w) format padding padding_value stride dialations -> y
_shape(x) -> shape
pad(x padding) padding_value -> y
depthwise_conv2d(x w) format padding padding_value stride dialations -> y
add_bias(x b) format dim -> y
padding_conv2d(x padding w) format padding_value stride dialations -> y
conv2d_bias(x w b) format padding padding_value stride dialations dim -> y
padding_conv2d_bias(x padding w b) format padding_value stride dialations dim -> y
batch_norm(x mean variance) dim epsilon -> y
batch_scale(x scale bias) dim -> y
fused_batch_norm(x gamma beta mean variance) dim epsilon -> y
add(x a) -> y
sub(x a) -> y
mul(x a) -> y
div(x a) -> y
inner_prod(x a) -> y
relu(x) -> y
relu_max(x) max -> y
sigmoid(x) -> y
prelu(x) slope dim -> y
softmax(x) dim -> y
concat(x) dim -> y
pooling2d(x) format type padding padding_type ksize stride -> y
pooling2d_v2(x padding ksize stride) format type padding_type -> y
padding_pooling2d_v2(x padding ksize stride) padding_type -> y
flatten(x) -> y
to_float(x) -> y
tf_conv2d_padding() ->
tf_pooling2d_padding() ->
mx_conv2d_padding() ->
mx_pooling2d_padding() ->
"""
"""The text gives the four producers of paddings no signature; `permute` is another name of `_transpose`."""
