; The last pattern that matches a node decides.

(identifier) @variable
(comment) @comment

[ "import" "version" "extension" ] @keyword.import
[ "operator" "graph" ] @keyword.function
[ "public" "dynamic" "optional" "static" ] @keyword.modifier
[ "if" "then" "elif" "else" ] @keyword.conditional
[ "with" "for" "while" "do" "unroll" ] @keyword.repeat
"yield" @keyword.return
[ "is" "in" ] @keyword.operator
[
  "@dtype" "@attrib" "@input" "@output" "@constant" "@variable" "@using" "@assert" "@lower" "@compose" "@update"
  "@quantize"
] @attribute

(import module: (qualified_name (identifier) @module))
(definition kind: "operator" name: (identifier) @function)
(definition kind: "graph" name: (identifier) @type)

(builtin_type) @type.builtin
(type (identifier) @type)
(dtype_declaration name: (name) @type)

(parameter name: (name (identifier) @variable.parameter))
(attribute name: (name (identifier) @property))
(result name: (name (identifier) @variable))
(labelled label: (name (identifier) @label))

(call operator: (qualified_name (identifier) @function.call .))
(call operator: (qualified_name (identifier) @module "." ))
(quantization operator: (qualified_name (identifier) @function.call .))

(integer) @number
(real) @number.float
(constant) @constant.builtin
(string) @string

[
  "=" "+=" "*=" "&=" "|=" "<?=" ">?=" ":=" "=>" "&&" "||" "^" "<" "<=" ">" ">=" "==" "!=" "<?" ">?" "+" "-" "*" "/"
  "\\" "%" "**" "!" "?" "??" "<-" "<>" "->" ".." "..." "~"
] @operator
[ "," ";" ":" "." ] @punctuation.delimiter
[ "(" ")" "[" "]" "{" "}" ] @punctuation.bracket
