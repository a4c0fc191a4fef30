" SkriptND: the whole language, fields in strings, and samples in comments.
" The language server's semantic tokens come above it; this is what is seen without them.
if exists('b:current_syntax')
  finish
endif

syntax case match
" strings may go on over lines
syntax sync minlines=200

" ---- names and words ----------------------------------------------------------------------------
syntax match skndDelimiter /[][(){},;]/
syntax match skndOperator /[-+*\/\\%<>=!&|^?~:.]\+/
syntax match skndFunctionCall /\<\h\w*\>\%(\s*<\s*\h\w*\%(\s*,\s*\h\w*\)*\s*>\)\=\ze\s*[({]/ contains=skndKeyword,skndConditional,skndRepeat,skndType,skndOperator
syntax match skndModule /\<\h\w*\ze\.\h/
syntax keyword skndBuiltin abs acos acosh asin asinh atan atanh ceil cos cosh erf exp floor frac log max min pow round sign sin sinh sqrt tan tanh contained
syntax keyword skndKeyword public optional dynamic static unroll yield with
syntax keyword skndKeyword operator graph nextgroup=skndDefinition skipwhite skipempty
syntax match skndDefinition /\h\w*/ contained
syntax keyword skndConditional if then elif else
syntax keyword skndRepeat do for while
syntax keyword skndWordOperator is in
syntax keyword skndType type arith num int real bool str
syntax keyword skndBoolean true false
syntax keyword skndConstant inf pi
syntax keyword skndImport import nextgroup=skndImported skipwhite skipempty
syntax match skndImported /\h\w*\%(\.\h\w*\)*/ contained nextgroup=skndImportComma skipwhite skipempty
syntax match skndImportComma /,/ contained nextgroup=skndImported skipwhite skipempty
syntax match skndPragma /\<version\ze\s\+\d/
syntax match skndPragma /\<extension\ze\s\+\h/
syntax match skndBlock /@\%(dtype\|attrib\|input\|output\|constant\|variable\|using\|assert\|lower\|compose\|update\|quantize\)\>/

" ---- numbers ------------------------------------------------------------------------------------
syntax match skndNumber /\<\d\+\>/
syntax match skndFloat /\<\d\+\.\%(\.\)\@!\d*\%([eE][+-]\=\d\+\)\=/
syntax match skndFloat /\<\d\+[eE][+-]\=\d\+\>/

syntax cluster skndCode contains=skndDelimiter,skndOperator,skndFunctionCall,skndModule,skndKeyword,skndConditional,skndRepeat,skndWordOperator,skndType,skndBoolean,skndConstant,skndNumber,skndFloat,skndString,skndBuiltin

" ---- strings ------------------------------------------------------------------------------------
syntax match skndEscape /\\[{}'"\\nt]/ contained
syntax match skndEscapeUnknown /\\[^{}'"\\nt]/ contained
syntax region skndField matchgroup=skndFieldBrace start=/{/ end=/}/ contained contains=@skndCode,skndFieldNested
syntax region skndFieldNested start=/{/ end=/}/ contained transparent contains=@skndCode,skndFieldNested
syntax region skndString start=/"/ skip=/\\./ end=/"/ contains=skndEscape,skndEscapeUnknown,skndField,@Spell
syntax region skndString start=/'/ skip=/\\./ end=/'/ contains=skndEscape,skndEscapeUnknown,skndField,@Spell

" ---- comments -----------------------------------------------------------------------------------
syntax keyword skndTodo TODO FIXME XXX NOTE contained
syntax match skndCommentCode /`[^`]\+`/ contained
syntax match skndComment /#.*$/ contains=skndTodo,skndCommentCode,skndDirective,@Spell
syntax match skndDirective /#\s*snd:\s*ignore\%(-file\)\=\[[^]]*\]/ contained

" An invocation, which may go on in further lines, and the results below it.
syntax match skndSample /^\s*#\s*>>>\s.*$/ contains=skndSampleMark,@skndCode,skndSampleValue nextgroup=skndSampleMore,skndSampleResult,skndSampleTolerance,skndSampleError skipnl
syntax match skndSampleMore /^\s*#\s*\.\.\.\s.*$/ contained contains=skndSampleMark,@skndCode,skndSampleValue nextgroup=skndSampleMore,skndSampleResult,skndSampleTolerance,skndSampleError skipnl
syntax match skndSampleResult /^\s*#\s*\h\w*:\s*\%(real\|int\|bool\|str\|null\)\>.*$/ contained contains=skndSampleMark,@skndCode,skndSampleValue,skndSampleStatistic nextgroup=skndSampleResult,skndSampleTolerance skipnl
syntax match skndSampleTolerance /^\s*#\s*\~.*$/ contained contains=skndSampleMark,skndNumber,skndFloat nextgroup=skndSampleResult skipnl
syntax match skndSampleError /^\s*#\s*error:.*$/ contained contains=skndSampleMark,skndSampleFailure
syntax match skndSampleMark /#\s*\%(>>>\|\.\.\.\)\=/ contained
syntax match skndSampleFailure /\<error\ze:/ contained
syntax match skndSampleStatistic /\%(\<\%(n\|nan\)\>\|[xμσ]\)\ze[=∈]/ contained
syntax keyword skndSampleValue random iota zeros ones null nan contained

" ---- colours ------------------------------------------------------------------------------------
highlight default link skndDelimiter Delimiter
highlight default link skndOperator Operator
highlight default link skndFunctionCall Function
highlight default link skndBuiltin Function
highlight default link skndModule Include
highlight default link skndKeyword Keyword
highlight default link skndDefinition Function
highlight default link skndConditional Conditional
highlight default link skndRepeat Repeat
highlight default link skndWordOperator Operator
highlight default link skndType Type
highlight default link skndBoolean Boolean
highlight default link skndConstant Constant
highlight default link skndImport Include
highlight default link skndImported Identifier
highlight default link skndImportComma Delimiter
highlight default link skndPragma PreProc
highlight default link skndBlock PreProc
highlight default link skndNumber Number
highlight default link skndFloat Float
highlight default link skndString String
highlight default link skndEscape SpecialChar
highlight default link skndEscapeUnknown Error
highlight default link skndFieldBrace Special
highlight default link skndTodo Todo
highlight default link skndCommentCode SpecialComment
highlight default link skndComment Comment
highlight default link skndDirective SpecialComment
highlight default link skndSample Comment
highlight default link skndSampleMore Comment
highlight default link skndSampleResult Comment
highlight default link skndSampleTolerance Comment
highlight default link skndSampleError Comment
highlight default link skndSampleMark SpecialComment
highlight default link skndSampleFailure Exception
highlight default link skndSampleStatistic Identifier
highlight default link skndSampleValue Constant

let b:current_syntax = 'skriptnd'
