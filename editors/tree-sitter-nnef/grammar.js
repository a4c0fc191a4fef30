/**
 * NNEF 1.0 (graph.nnef, and graph.quant beside it), for editors that colour, fold and indent by tree-sitter.
 *
 * It reads the union of the text of NNEF 1.0 and of what tract reads, as analysis/snd_analysis/nnef1/syntax does;
 * tests/editors/tree_sitter holds it against that parser.
 */

const PRECEDENCE = { select: 1, in: 2, logic: 3, compare: 4, add: 5, multiply: 6, power: 7, prefix: 8, postfix: 9 };

const BINARY = [
  [PRECEDENCE.in, ['in']],
  [PRECEDENCE.logic, ['&&', '||']],
  [PRECEDENCE.compare, ['<', '>', '<=', '>=', '==', '!=']],
  [PRECEDENCE.add, ['+', '-']],
  [PRECEDENCE.multiply, ['*', '/']],
  [PRECEDENCE.power, ['^']],
];

const list1 = (rule) => seq(rule, repeat(seq(',', rule)));
const list = (rule) => optional(list1(rule));

module.exports = grammar({
  name: 'nnef',

  extras: ($) => [/\s/, $.comment],

  word: ($) => $.name,

  conflicts: ($) => [
    [$._postfix, $.call],
  ],

  rules: {
    document: ($) =>
      repeat(choice($.version, $.extension, $.fragment_declaration, $.definition, $.quantization)),

    version: ($) => seq('version', $.number, ';'),
    // The text after the name of an extension belongs to that extension, up to the semicolon.
    extension: ($) => seq('extension', field('name', $.name), optional($.payload), ';'),
    payload: () => token(prec(-1, /[^\s;#][^;]*/)),

    fragment_declaration: ($) => seq($._head, ';'),
    definition: ($) => seq($._head, field('body', $.body)),
    _head: ($) =>
      seq(
        field('kind', choice('graph', 'fragment')),
        field('name', $._identifier),
        optional($.generic_declaration),
        field('parameters', $.parameters),
        '->',
        field('results', $.results),
      ),
    generic_declaration: ($) => seq('<', '?', optional(seq('=', $.primitive_type)), '>'),
    parameters: ($) => seq('(', list($.parameter), ')'),
    parameter: ($) =>
      seq(
        field('name', $._identifier),
        optional(seq(':', field('type', $._type))),
        optional(seq('=', field('default', $._expression))),
      ),
    results: ($) => seq('(', list($.result), ')'),
    result: ($) => seq(field('name', $._identifier), optional(seq(':', field('type', $._type)))),
    body: ($) => seq('{', repeat($.assignment), '}'),

    // ---- types
    _type: ($) => choice($.primitive_type, $.tensor_type, $.array_type, $.tuple_type),
    primitive_type: () => choice('integer', 'scalar', 'logical', 'string', '?'),
    tensor_type: ($) => seq('tensor', '<', optional($.primitive_type), '>'),
    array_type: ($) => seq($._type, '[', ']'),
    tuple_type: ($) => seq('(', list($._type), ')'),

    // ---- statements
    assignment: ($) => seq(field('target', $._target), '=', field('value', $._expression), ';'),
    _target: ($) => list1($._postfix),
    quantization: ($) => seq(field('tensor', choice($.string, $.extended_name)), ':', $.call, ';'),

    // ---- expressions
    _expression: ($) => choice($.select, $.binary_expression, $.unary_expression, $._postfix),
    select: ($) =>
      prec.right(
        PRECEDENCE.select,
        seq($._expression, 'if', field('condition', $._expression), 'else', $._expression),
      ),
    binary_expression: ($) =>
      choice(
        ...BINARY.flatMap(([level, operators]) =>
          operators.map((operator) =>
            prec.left(level, seq($._expression, field('operator', operator), $._expression)),
          ),
        ),
      ),
    unary_expression: ($) =>
      prec(PRECEDENCE.prefix, seq(field('operator', choice('-', '+', '!')), $._expression)),

    _postfix: ($) =>
      choice(
        $._identifier,
        $.number,
        $.string,
        $.logical,
        $.array,
        $.comprehension,
        $.tuple,
        $.call,
        $.subscript,
      ),
    subscript: ($) => prec(PRECEDENCE.postfix, seq($._postfix, '[', choice($._expression, $.range), ']')),
    range: ($) => seq(optional($._expression), ':', optional($._expression)),
    array: ($) => seq('[', list($._expression), ']'),
    tuple: ($) => seq('(', list($._expression), ')'),
    comprehension: ($) =>
      seq(
        '[',
        'for',
        list1($.iterator),
        optional(seq('if', field('condition', $._expression))),
        'yield',
        field('item', $._expression),
        ']',
      ),
    iterator: ($) =>
      prec(PRECEDENCE.in + 1, seq(field('target', $._postfix), 'in', field('source', $._expression))),

    call: ($) =>
      prec.dynamic(
        1,
        seq(
          field('operation', choice($._identifier, $.built_in)),
          optional(seq('<', $.primitive_type, '>')),
          field('arguments', $.arguments),
        ),
      ),
    built_in: () =>
      choice('integer', 'scalar', 'logical', 'string', 'shape_of', 'length_of', 'range_of'),
    arguments: ($) => seq('(', list($.argument), ')'),
    argument: ($) =>
      seq(optional(seq(field('name', $._identifier), '=')), field('value', $._expression)),

    // ---- terminals
    _identifier: ($) => choice($.name, $.extended_name),
    name: () => /[A-Za-z_]\w*/,
    // A name that is no identifier, as tract writes it: i"encoder.layers.0/attn".
    extended_name: () => token(choice(/i"([^"\\]|\\(.|\r|\n))*"/, /i'([^'\\]|\\(.|\r|\n))*'/)),
    logical: () => choice('true', 'false'),
    number: () => /\d+(\.\d*)?([eE][+-]?\d+)?/,
    string: () => token(choice(/"([^"\\\r\n]|\\[^\r\n])*"/, /'([^'\\\r\n]|\\[^\r\n])*'/)),
    comment: () => token(/#[^\r\n]*/),
  },
});
