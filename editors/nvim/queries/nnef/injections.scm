; Words such as NOTE, where the grammar of comments is installed.
((comment) @injection.content
  (#set! injection.language "comment"))
