/**
 * SkriptND, for editors that colour, fold and indent by tree-sitter.
 *
 * The names follow analysis/snd_analysis/skriptnd/syntax/grammar.lark, which is the one definition of the grammar;
 * tests/editors/tree_sitter holds this one against it. It accepts somewhat more: `snd check` reports the mistakes.
 */

const PRECEDENCE = {
  select: 1,
  implies: 2,
  logic: 3,
  compare: 4,
  clamp: 5,
  add: 6,
  multiply: 7,
  power: 8,
  prefix: 9,
  postfix: 10,
};

const BINARY = [
  [PRECEDENCE.implies, ['=>']],
  [PRECEDENCE.logic, ['&&', '||', '^']],
  [PRECEDENCE.compare, ['<', '<=', '>', '>=', '==', '!=', 'is', 'in', ':=']],
  [PRECEDENCE.clamp, ['<?', '>?']],
  [PRECEDENCE.add, ['+', '-']],
  [PRECEDENCE.multiply, ['*', '/', '\\', '%']],
  [PRECEDENCE.power, ['**']],
];

/** Operators that `..` may follow: `a + ..` is the sum of the items of a. */
const FOLDED = new Set(['&&', '||', '<', '<=', '>', '>=', '==', '!=', '<?', '>?', '+', '*', ':=']);

const list1 = (rule) => seq(rule, repeat(seq(',', rule)));
const list = (rule) => optional(list1(rule));
const block = (keyword, entry) =>
  seq(field('keyword', keyword), '{', repeat(seq(entry, ';')), '}');

module.exports = grammar({
  name: 'skriptnd',

  extras: ($) => [/\s/, $.comment],

  word: ($) => $.identifier,

  conflicts: ($) => [
    [$._primary, $.call],
  ],

  rules: {
    document: ($) => repeat(choice($.version, $.extension, $.import, $.definition)),

    version: ($) => seq('version', choice($.real, $.integer), ';'),
    extension: ($) => seq('extension', repeat1(seq(optional(','), $.identifier)), ';'),
    import: ($) => seq('import', list1(field('module', $.qualified_name)), ';'),

    definition: ($) =>
      seq(
        optional('public'),
        field('kind', choice('operator', 'graph')),
        field('name', $.identifier),
        '{',
        repeat($._block),
        '}',
      ),

    _block: ($) =>
      choice(
        $.dtype_block,
        $.parameter_block,
        $.using_block,
        $.assert_block,
        $.lower_block,
        $.compose_block,
        $.quantize_block,
      ),
    dtype_block: ($) => block('@dtype', $.dtype_declaration),
    parameter_block: ($) =>
      block(choice('@attrib', '@input', '@output', '@constant', '@variable'), $.parameter),
    using_block: ($) => block('@using', $.using),
    assert_block: ($) => block('@assert', $.assertion),
    lower_block: ($) => block('@lower', $.lowering),
    compose_block: ($) => block(choice('@compose', '@update'), $.component),
    quantize_block: ($) => block('@quantize', $.quantization),

    // ---- types and parameters
    dtype_declaration: ($) =>
      seq(field('name', $.name), ':', $.type, optional(seq('=', field('default', $.type)))),
    type: ($) => choice($.builtin_type, $.identifier),
    builtin_type: () => choice('type', 'arith', 'num', 'int', 'real', 'bool', 'str'),

    parameter: ($) =>
      seq(
        field('name', $.name),
        ':',
        repeat(choice('dynamic', 'optional')),
        field('type', $.type),
        optional(seq('^', '(', field('rank', $.name), ')')),
        optional(field('shape', $.shape)),
        optional($.pack),
        optional(seq('=', field('default', $._expression), repeat($.index_bound))),
      ),
    shape: ($) => seq('[', list($.extent), ']'),
    extent: ($) =>
      seq(
        optional('static'),
        optional('..'),
        choice($._expression, '~'),
        optional($.bound),
        optional($.expansion),
      ),
    bound: ($) => seq('|', $._expression),
    pack: ($) =>
      prec.right(
        seq(
          '..',
          optional(
            seq(
              '(',
              optional(choice('static', 'dynamic')),
              choice($._expression, '~'),
              optional($.bound),
              ')',
            ),
          ),
        ),
      ),
    index_bound: ($) => seq(',', $.name, '<', $._expression),

    // ---- @using, @assert
    using: ($) => seq(field('target', choice($._name_target, $.target_list)), '=', $._expression),
    _name_target: ($) => seq(choice($.name, '~'), optional($.expansion)),
    target_list: ($) => seq('[', list(choice($._name_target, $.target_tuple)), ']'),
    target_tuple: ($) => seq('(', list1($.name), ')', optional($.expansion)),

    assertion: ($) => seq(field('condition', $._expression), optional($.message)),
    message: ($) => seq(':', $.string, repeat(seq(',', optional(seq($.string, ':')), $._expression))),

    // ---- @lower
    lowering: ($) =>
      seq(
        optional($.unroll),
        optional($.locals),
        field('target', $.access),
        field('operator', choice('=', '+=', '*=', '&=', '|=', '<?=', '>?=', ':=', '==')),
        field('value', $._expression),
        repeat($.index_bound),
        optional($.condition),
      ),
    unroll: ($) => seq('unroll', '..', '(', optional(seq($.name, '->')), $._expression, ')'),
    locals: ($) => seq('with', list1($.local), ':'),
    local: ($) => seq(field('name', $.name), '=', $._expression),
    access: ($) => seq(field('tensor', $.name), repeat1($.index)),
    condition: ($) => seq('|', $._expression),

    // ---- @compose, @update
    component: ($) =>
      seq(
        list1(choice($.result, $.result_list)),
        '=',
        field('value', choice($.branch, $.loop, $._callable)),
      ),
    result_list: ($) => seq('[', list(choice($.result, $.result_tuple)), ']'),
    result: ($) => seq(choice(field('name', $.name), '~'), optional($.result_type), optional($.pack)),
    result_tuple: ($) =>
      seq('(', list1(seq(field('name', $.name), optional($.result_type))), ')', optional($.pack)),
    result_type: ($) => seq(':', $.type, $.shape),
    branch: ($) =>
      seq(
        'if',
        field('condition', $._callable),
        'then',
        $._callable,
        repeat(seq('elif', field('condition', $._callable), 'then', $._callable)),
        'else',
        $._callable,
      ),
    loop: ($) =>
      prec.right(
        seq(
          optional(seq('with', list1($.carry))),
          optional(seq('for', list1($.scan))),
          optional($.while),
          choice('do', 'unroll'),
          optional($.iteration),
          $._callable,
          optional($.while),
        ),
      ),
    carry: ($) => seq(field('name', $.name), optional($.result_type), '=', $._expression),
    scan: ($) => seq(field('name', $.name), ':', $._expression),
    while: ($) => seq('while', $._callable),
    iteration: ($) =>
      seq('..', '(', choice($._expression, seq($.name, '->', optional($._expression))), ')'),
    _callable: ($) => choice($.region, $.labelled, $._expression),
    labelled: ($) => prec.dynamic(1, seq(field('label', $.name), ':', choice($.region, $.call))),
    region: ($) => seq('{', repeat(choice(seq($.component, ';'), seq($.yield, ';'))), '}'),
    yield: ($) => seq('yield', list1($._expression)),

    quantization: ($) =>
      seq(
        field('tensor', $.qualified_name),
        ':',
        field('operator', $.qualified_name),
        optional($.generic_arguments),
        optional($.attributes),
        optional($.arguments),
      ),

    // ---- expressions
    _expression: ($) =>
      choice(
        $.select,
        $.coalesce,
        $.binary_expression,
        $.fold,
        $.prefix_expression,
        $.substitution,
        $._primary,
      ),
    select: ($) =>
      prec.right(
        PRECEDENCE.select,
        seq(
          field('condition', $._expression),
          '?',
          field('consequence', $._expression),
          optional(seq(':', field('alternative', $._expression))),
        ),
      ),
    coalesce: ($) => prec.right(PRECEDENCE.select, seq($._expression, '??', $._expression)),
    binary_expression: ($) =>
      choice(
        ...BINARY.flatMap(([level, operators]) =>
          operators.map((operator) =>
            prec.left(
              level,
              seq(
                field('left', $._expression),
                field('operator', operator),
                field('right', $._expression),
              ),
            ),
          ),
        ),
      ),
    fold: ($) =>
      choice(
        ...BINARY.flatMap(([level, operators]) =>
          operators
            .filter((operator) => FOLDED.has(operator))
            .map((operator) =>
              prec.left(
                level,
                seq($._expression, field('operator', operator), choice('..', '...')),
              ),
            ),
        ),
      ),
    prefix_expression: ($) =>
      prec(PRECEDENCE.prefix, seq(field('operator', choice('+', '-', '!', '?')), $._expression)),
    substitution: ($) =>
      prec.right(
        seq(field('value', $._primary), $.index, '<-', field('replacement', $._expression)),
      ),

    _primary: ($) =>
      choice(
        $.qualified_name,
        $.call,
        $.cast,
        $.integer,
        $.real,
        $.constant,
        $.string,
        $.list_expression,
        $.parenthesized_expression,
        $.bounded_expression,
        $.subscript,
      ),
    subscript: ($) => prec(PRECEDENCE.postfix, seq(field('value', $._primary), $.index)),
    parenthesized_expression: ($) => seq('(', $._expression, ')'),
    cast: ($) => seq($.builtin_type, '(', optional($._expression), ')'),
    bounded_expression: ($) =>
      seq(
        '|',
        $._expression,
        optional(choice(seq('<>', $._expression, ':', $._expression), seq(':', $._expression))),
        '|',
      ),

    call: ($) =>
      seq(
        field('operator', $.qualified_name),
        optional($.generic_arguments),
        optional($.attributes),
        $.arguments,
      ),
    arguments: ($) => seq('(', list(choice($._expression, '~')), ')'),
    generic_arguments: ($) => prec.dynamic(1, seq('<', list1($.type), '>')),
    attributes: ($) => seq('{', list($.attribute), '}'),
    attribute: ($) => seq(field('name', $.name), choice('=', ':'), field('value', $._expression)),

    list_expression: ($) => seq('[', list($._item), ']'),
    index: ($) => seq('[', optional(seq(list1($._item), optional(','))), ']'),
    _item: ($) => choice($._expression, $.range, $.expanded, $.tuple),
    expanded: ($) => seq(choice($._expression, $.tuple), $.expansion),
    expansion: ($) => seq('..', optional(seq('(', $._expression, ')'))),
    tuple: ($) => seq('(', $._expression, repeat1(seq(',', $._expression)), ')'),
    range: ($) =>
      seq(
        optional($._expression),
        ':',
        optional($._expression),
        optional(seq(':', optional($._expression))),
      ),

    qualified_name: ($) => prec.right(seq($.identifier, repeat(seq('.', $.identifier)))),
    name: ($) => $.identifier,

    // ---- terminals
    constant: () => choice('true', 'false', 'inf', 'pi'),
    integer: () => /\d+/,
    // `1.` is a number, but `1..` is one and an expansion.
    real: () =>
      choice(
        token(/\d+(\.\d+([eE][+-]?\d+)?|[eE][+-]?\d+)/),
        seq(/\d+/, token.immediate(/\.([eE][+-]?\d+)?/)),
      ),
    string: ($) => prec.right(repeat1($._string)),
    _string: () => token(choice(/"([^"\\]|\\(.|\r|\n))*"/, /'([^'\\]|\\(.|\r|\n))*'/)),
    identifier: () => /[\p{L}_][\p{L}\p{N}_]*/,
    comment: () => token(/#[^\r\n]*/),
  },
});
