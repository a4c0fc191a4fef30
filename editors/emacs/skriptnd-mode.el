;;; skriptnd-mode.el --- SkriptND and NNEF 1.0, with the language server snd  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1") (eglot "1.9"))
;; Keywords: languages
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Major modes for SkriptND (`skriptnd-mode') and NNEF 1.0 (`nnef-mode'): colours, comments and indentation.
;; Eglot starts the language server `snd lsp', which has to be on PATH:
;;
;;     (require 'skriptnd-mode)
;;     (add-hook 'skriptnd-mode-hook #'eglot-ensure)
;;     (add-hook 'nnef-mode-hook #'eglot-ensure)

;;; Code:

(require 'rx)

(defgroup skriptnd nil
  "SkriptND and NNEF 1.0."
  :group 'languages)

(defcustom skriptnd-indent-offset 4
  "Columns by which the contents of brackets are indented."
  :type 'natnum
  :safe #'natnump)

(defvar skriptnd-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?_ "w" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?' "\"" table)
    (dolist (operator '(?< ?> ?= ?+ ?- ?* ?/ ?% ?& ?| ?^ ?! ?? ?~ ?: ?.))
      (modify-syntax-entry operator "." table))
    table)
  "Syntax of SkriptND and NNEF 1.0.")

(defconst skriptnd--keywords
  '("import" "version" "extension" "public" "operator" "graph" "dynamic" "optional" "static" "as" "if" "then" "elif"
    "else" "with" "for" "while" "do" "unroll" "yield" "is" "in"))

(defconst skriptnd-font-lock-keywords
  `((,(rx bol (* blank) (group "#" (* blank) (or ">>>" "...")) blank) (1 font-lock-doc-face t))
    (,(rx bow (or "operator" "graph") (+ blank) (group (+ word))) (1 font-lock-function-name-face))
    (,(rx bow "import" (+ blank) (group (+ (or word ?. ?, blank)))) (1 font-lock-constant-face))
    (,(rx (group "@" (or "dtype" "attrib" "input" "output" "constant" "variable" "using" "assert" "lower" "compose"
                         "update" "quantize"))
          eow)
     (1 font-lock-preprocessor-face))
    (,(regexp-opt skriptnd--keywords 'words) . font-lock-keyword-face)
    (,(rx bow (or "type" "arith" "num" "int" "real" "bool" "str") eow) . font-lock-type-face)
    (,(rx bow (or "true" "false" "inf" "pi") eow) . font-lock-constant-face)
    (,(rx bow (group (any "a-zA-Z_") (* word)) (* blank) (any "({")) (1 font-lock-function-name-face)))
  "What `skriptnd-mode' colours without the language server.")

(defconst skriptnd--nnef-font-lock-keywords
  `((,(rx bow (or "graph" "fragment") (+ blank) (group (+ word))) (1 font-lock-function-name-face))
    (,(rx bow (or "version" "extension" "graph" "fragment" "if" "else" "for" "in" "yield") eow)
     . font-lock-keyword-face)
    (,(rx bow (or "tensor" "integer" "scalar" "logical" "string") eow) . font-lock-type-face)
    (,(rx bow (or "true" "false") eow) . font-lock-constant-face)
    (,(rx bow (group (any "a-zA-Z_") (* word)) (* blank) (any "(<")) (1 font-lock-function-name-face)))
  "What `nnef-mode' colours without the language server.")

(defun skriptnd-indent-line ()
  "Indent the line by the number of brackets that are open before it."
  (interactive)
  (let* ((from-end (- (point-max) (point)))
         (column (save-excursion
                   (back-to-indentation)
                   (let ((depth (car (syntax-ppss))))
                     (when (looking-at (rx (any "})]")))
                       (setq depth (max 0 (1- depth))))
                     (* depth skriptnd-indent-offset)))))
    (indent-line-to column)
    (when (> (- (point-max) from-end) (point))
      (goto-char (- (point-max) from-end)))))

;;;###autoload
(define-derived-mode skriptnd-mode prog-mode "SkriptND"
  "Major mode for SkriptND, the tensor language of NNEF 2.0."
  (setq-local comment-start "# "
              comment-start-skip (rx (+ "#") (* blank))
              indent-tabs-mode nil
              indent-line-function #'skriptnd-indent-line
              font-lock-defaults '(skriptnd-font-lock-keywords)))

;;;###autoload
(define-derived-mode nnef-mode prog-mode "NNEF"
  "Major mode for models in NNEF 1.0."
  :syntax-table skriptnd-mode-syntax-table
  (setq-local comment-start "# "
              comment-start-skip (rx (+ "#") (* blank))
              indent-tabs-mode nil
              indent-line-function #'skriptnd-indent-line
              font-lock-defaults '(skriptnd--nnef-font-lock-keywords)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.sknd\\'" . skriptnd-mode))
;;;###autoload
(add-to-list 'auto-mode-alist '("\\.nnef\\'" . nnef-mode))

(defvar eglot-server-programs)

;;;###autoload
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '((skriptnd-mode nnef-mode) . ("snd" "lsp"))))

(provide 'skriptnd-mode)

;;; skriptnd-mode.el ends here
