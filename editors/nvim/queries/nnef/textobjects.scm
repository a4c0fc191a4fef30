(definition) @function.around
(definition body: (body) @function.inside)
(parameter) @parameter.around
(argument) @parameter.around
(comment) @comment.around
