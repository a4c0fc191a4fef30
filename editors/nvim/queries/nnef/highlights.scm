; The last pattern that matches a node decides.

(name) @variable
(extended_name) @variable
(comment) @comment

[ "version" "extension" ] @keyword.import
[ "graph" "fragment" ] @keyword.function
[ "if" "else" ] @keyword.conditional
[ "for" "yield" ] @keyword.repeat
"in" @keyword.operator

(extension name: (name) @module)
(payload) @string.special
(definition kind: "fragment" name: (_) @function)
(fragment_declaration kind: "fragment" name: (_) @function)
(definition kind: "graph" name: (_) @type)

(primitive_type) @type.builtin
"tensor" @type.builtin
(parameter name: (_) @variable.parameter)
(argument name: (_) @property)
(call operation: (name) @function.call)
(built_in) @function.builtin

(number) @number
(logical) @boolean
(string) @string
(quantization tensor: (_) @variable)

[ "=" "->" "&&" "||" "<" ">" "<=" ">=" "==" "!=" "+" "-" "*" "/" "^" "!" ] @operator
[ "," ";" ":" ] @punctuation.delimiter
[ "(" ")" "[" "]" "{" "}" ] @punctuation.bracket
