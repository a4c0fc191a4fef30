"""Names of operators, inputs, attributes and outputs in the specifications (facts of the texts, by section)."""

TOSA = """
2.3.1 ARGMAX(input) axis -> output
2.3.2 AVG_POOL2D(input) kernel stride pad input_zp output_zp -> output
2.3.3 CONV2D(input weight bias) pad stride dilation input_zp weight_zp -> output
2.3.4 CONV3D(input weight bias) pad stride dilation input_zp weight_zp -> output
2.3.5 DEPTHWISE_CONV2D(input weight bias) pad stride dilation input_zp weight_zp -> output
2.3.6 FFT2D(input_real input_imag) inverse -> output_real output_imag
2.3.7 FULLY_CONNECTED(input) weight bias input_zp weight_zp -> output
2.3.8 MATMUL(A B) A_zp B_zp -> output
2.3.9 MAX_POOL2D(input) kernel stride pad -> output
2.3.10 RFFT2D(input) -> output_real output_imag
2.3.11 TRANSPOSE_CONV2D(input weight bias) out_pad stride out_shape input_zp weight_zp -> output
2.4.1 CLAMP(Input) min_val max_val -> Output
2.4.2 SIGMOID(Input) -> Output
2.4.3 TANH(Input) -> Output
2.5.1 ADD(input1 input2) -> output
2.5.2 ARITHMETIC_RIGHT_SHIFT(input1 input2) round -> output
2.5.3 BITWISE_AND(input1 input2) -> output
2.5.4 BITWISE_OR(input1 input2) -> output
2.5.5 BITWISE_XOR(input1 input2) -> output
2.5.6 INTDIV(input1 input2) -> output
2.5.7 LOGICAL_AND(input1 input2) -> output
2.5.8 LOGICAL_LEFT_SHIFT(input1 input2) -> output
2.5.9 LOGICAL_RIGHT_SHIFT(input1 input2) -> output
2.5.10 LOGICAL_OR(input1 input2) -> output
2.5.11 LOGICAL_XOR(input1 input2) -> output
2.5.12 MAXIMUM(input1 input2) -> output
2.5.13 MINIMUM(input1 input2) -> output
2.5.14 MUL(input1 input2 shift) -> output
2.5.15 POW(input1 input2) -> output
2.5.16 SUB(input1 input2) -> output
2.5.17 TABLE(Input table) -> output
2.6.1 ABS(input1) -> output
2.6.2 BITWISE_NOT(input1) -> output
2.6.3 CEIL(input1) -> output
2.6.4 CLZ(input1) -> output
2.6.5 EXP(input1) -> output
2.6.6 FLOOR(input1) -> output
2.6.7 LOG(input1) -> output
2.6.8 LOGICAL_NOT(input1) -> output
2.6.9 NEGATE(input1) input1_zp output_zp -> output
2.6.10 RECIPROCAL(input1) -> output
2.6.11 RSQRT(input1) -> output
2.7.1 SELECT(input1 input2 input3) -> output
2.8.1 EQUAL(input1 input2) -> output
2.8.2 GREATER(input1 input2) -> output
2.8.3 GREATER_EQUAL(input1 input2) -> output
2.9.1 REDUCE_ALL(input) axis -> output
2.9.2 REDUCE_ANY(input) axis -> output
2.9.3 REDUCE_MAX(input) axis -> output
2.9.4 REDUCE_MIN(input) axis -> output
2.9.5 REDUCE_PRODUCT(input) axis -> output
2.9.6 REDUCE_SUM(input) axis -> output
2.10.1 CONCAT(input1) axis -> output
2.10.2 PAD(input1) padding pad_const -> output
2.10.3 RESHAPE(input1) new_shape -> output
2.10.4 REVERSE(input) axis -> output
2.10.5 SLICE(input1) start size -> output
2.10.6 TILE(input1) multiples -> output
2.10.7 TRANSPOSE(input1) perms -> output
2.11.1 GATHER(values indices) -> output
2.11.2 SCATTER(values_in indices input) -> values_out
2.12.1 RESIZE(input) output_size stride offset border shift mode -> output
2.13.1 CAST(input) -> output
2.13.2 RESCALE(input multiplier shift) input_zp output_zp scale32 double_round per_channel -> output
2.14.1 CONST() values -> output
2.14.2 IDENTITY(input1) -> output
"""
"""`SECTION OPERATOR(inputs) attributes -> outputs`; inputs of one profile may be attributes in another."""

CVM = """
Reduce sum(X) axes keepdims exclude -> Y
Reduce max(X) axes keepdims exclude -> Y
Broadcast broadcast_add(A B) -> Y
Broadcast broadcast_sub(A B) -> Y
Broadcast broadcast_mul(A B) -> Y
Broadcast broadcast_div(A B) -> Y
Broadcast broadcast_max(A B) -> Y
NN Convolution(X W B) padding stride dilation groups -> Y
NN Dense(X W B) units use_bias -> Y
NN Relu(X) -> Y
NN MaxPooling(X) pool_size padding strides ceil_mode -> Y
NN Upsampling(X) scale -> Y
Elemwise abs(X) -> Y
Elemwise cvm_precision(X) -> Y
Elemwise elemwise_add(A B) -> Y
Elemwise elemwise_sub(A B) -> Y
Elemwise negative(X) -> Y
Elemwise clip(X) a_min a_max -> Y
Elemwise cvm_clip(X) precision -> Y
Elemwise cvm_right_shift(X) precision shift_bit -> Y
Elemwise cvm_left_shift(X) precision shift_bit -> Y
Transform repeat(X) axis repeats -> Y
Transform tile(X) reps -> Y
Transform flatten(X) -> Y
Transform concatenate(I) axis -> Y
Transform expand_dims(X) axis num_newaxis -> Y
Transform reshape(X) target_shape -> Y
Transform squeeze(X) axes -> Y
Transform transpose(X) axes -> Y
Transform slice(X) begin end strides -> Y
Transform strided_slice(X) begin end strides -> Y
Transform take(X indices) axis -> Y
Transform cvm_lut(indices X) -> Y
Transform slice_like(X shape_like) axes -> Y
NMS get_valid_count(X) score_threshold -> valid_count Y
NMS non_max_suppression(X valid_count) iou_threshold max_output_size force_suppress top_k -> Y
"""
"""`slice | strided_slice` are one operator with two names."""

TENNIS = """
operators _field(a) offset -> field
operators _pack(a) -> packed
operators _resize2d(a size) type -> resized
operators _image_resize2d(a size) type -> resized
operators _transpose(a) permute -> b
operators permute(a) permute -> b
operators _reshape(a) shape -> b
operators _dimshuffle(x) dim shuffle -> y
operators conv2d(x w) format padding padding_value stride dialations -> y
operators _shape(x) -> shape
operators pad(x padding) padding_value -> y
operators depthwise_conv2d(x w) format padding padding_value stride dialations -> y
operators add_bias(x b) format dim -> y
operators padding_conv2d(x padding w) format padding_value stride dialations -> y
operators conv2d_bias(x w b) format padding padding_value stride dialations dim -> y
operators padding_conv2d_bias(x padding w b) format padding_value stride dialations dim -> y
operators batch_norm(x mean variance) dim epsilon -> y
operators batch_scale(x scale bias) dim -> y
operators fused_batch_norm(x gamma beta mean variance) dim epsilon -> y
operators add(x a) -> y
operators sub(x a) -> y
operators mul(x a) -> y
operators div(x a) -> y
operators inner_prod(x a) -> y
operators relu(x) -> y
operators relu_max(x) max -> y
operators sigmoid(x) -> y
operators prelu(x) slope dim -> y
operators softmax(x) dim -> y
operators concat(x) dim -> y
operators pooling2d(x) format type padding padding_type ksize stride -> y
operators pooling2d_v2(x padding ksize stride) format type padding_type -> y
operators padding_pooling2d_v2(x padding ksize stride) padding_type -> y
operators flatten(x) -> y
operators to_float(x) -> y
appendix-2 tf_conv2d_padding() ->
appendix-2 tf_pooling2d_padding() ->
appendix-2 mx_conv2d_padding() ->
appendix-2 mx_pooling2d_padding() ->
"""
"""The text gives the four producers of paddings no signature; `permute` is another name of `_transpose`."""
