" NNEF 1.0 in both dialects, and its quantization files.
" The language server's semantic tokens come above it; this is what is seen without them.
if exists('b:current_syntax')
  finish
endif

syntax case match

" ---- names and words ----------------------------------------------------------------------------
syntax match nnefDelimiter /[][(){},;]/
syntax match nnefOperator /[-+*\/<>=!&|^?:]\+/
syntax match nnefCall /\<\h\w*\>\%(\s*<\s*\%(?\|\h\w*\)\s*>\)\=\ze\s*(/ contains=nnefBuiltin,nnefType,nnefOperator
syntax match nnefAttribute /\<\h\w*\ze\s*=[^=].*)/
syntax keyword nnefBuiltin shape_of length_of range_of
syntax keyword nnefKeyword graph fragment nextgroup=nnefDefinition skipwhite skipempty
syntax match nnefDefinition /\h\w*/ contained
syntax keyword nnefConditional if else
syntax keyword nnefRepeat for in yield
syntax keyword nnefType tensor scalar integer logical string
syntax keyword nnefBoolean true false
syntax keyword nnefConstant inf NaN
syntax match nnefPragma /^\s*version\ze\s\+\d/
syntax match nnefPragma /^\s*extension\ze\s\+\h/ nextgroup=nnefExtension skipwhite
syntax match nnefExtension /\h\w*/ contained nextgroup=nnefPayload
syntax match nnefPayload /[^;#]*/ contained

" ---- numbers, strings, comments -----------------------------------------------------------------
syntax match nnefNumber /\<\d\+\>/
syntax match nnefFloat /\<\d\+\.\d*\%([eE][+-]\=\d\+\)\=/
syntax match nnefFloat /\<\d\+[eE][+-]\=\d\+\>/
syntax match nnefEscape /\\./ contained
syntax region nnefString start=/"/ skip=/\\./ end=/"/ oneline contains=nnefEscape,@Spell
syntax region nnefString start=/'/ skip=/\\./ end=/'/ oneline contains=nnefEscape,@Spell
syntax region nnefExtended start=/\<i"/ skip=/\\./ end=/"/ oneline contains=nnefEscape
syntax match nnefQuantized /^\s*\zs\%("[^"]*"\|'[^']*'\)\ze\s*:/
syntax keyword nnefTodo TODO FIXME XXX NOTE contained
syntax match nnefComment /#.*$/ contains=nnefTodo,nnefDirective,@Spell
syntax match nnefDirective /#\s*snd:\s*ignore\%(-file\)\=\[[^]]*\]/ contained

" ---- colours ------------------------------------------------------------------------------------
highlight default link nnefDelimiter Delimiter
highlight default link nnefOperator Operator
highlight default link nnefCall Function
highlight default link nnefAttribute Identifier
highlight default link nnefBuiltin Function
highlight default link nnefKeyword Keyword
highlight default link nnefDefinition Function
highlight default link nnefConditional Conditional
highlight default link nnefRepeat Repeat
highlight default link nnefType Type
highlight default link nnefBoolean Boolean
highlight default link nnefConstant Constant
highlight default link nnefPragma PreProc
highlight default link nnefExtension Identifier
highlight default link nnefPayload String
highlight default link nnefNumber Number
highlight default link nnefFloat Float
highlight default link nnefString String
highlight default link nnefExtended Identifier
highlight default link nnefQuantized Identifier
highlight default link nnefEscape SpecialChar
highlight default link nnefTodo Todo
highlight default link nnefComment Comment
highlight default link nnefDirective SpecialComment

let b:current_syntax = 'nnef'
