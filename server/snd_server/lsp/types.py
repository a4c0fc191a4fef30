"""The messages of the language server protocol, as far as this server sends or reads them.

``lsprotocol`` declares all 500 types of the protocol when it is imported, which takes longer than everything else until
the first diagnostic. What is declared here is a part of that: the names, the fields and their order are those of
``lsprotocol``, and ``tests/server/lsp/test_types.py`` holds them against it. Types that a server only reads have the
fields that it looks at.
"""

from __future__ import annotations

import enum
from typing import Any, TypeAlias

from msgspec import Struct, UnsetType, field

ProgressToken: TypeAlias = int | str


class _Data(Struct, rename="camel", omit_defaults=True):
    """An object of the protocol: what is optional is left out if it is not given."""


# ---- methods ---------------------------------------------------------------------------------------------------------
CALL_HIERARCHY_INCOMING_CALLS = "callHierarchy/incomingCalls"
CALL_HIERARCHY_OUTGOING_CALLS = "callHierarchy/outgoingCalls"
CANCEL_REQUEST = "$/cancelRequest"
CLIENT_REGISTER_CAPABILITY = "client/registerCapability"
CODE_LENS_RESOLVE = "codeLens/resolve"
COMPLETION_ITEM_RESOLVE = "completionItem/resolve"
EXIT = "exit"
INITIALIZE = "initialize"
INITIALIZED = "initialized"
INLAY_HINT_RESOLVE = "inlayHint/resolve"
LOG_TRACE = "$/logTrace"
PROGRESS = "$/progress"
SET_TRACE = "$/setTrace"
SHUTDOWN = "shutdown"
TEXT_DOCUMENT_CODE_ACTION = "textDocument/codeAction"
TEXT_DOCUMENT_CODE_LENS = "textDocument/codeLens"
TEXT_DOCUMENT_COMPLETION = "textDocument/completion"
TEXT_DOCUMENT_DECLARATION = "textDocument/declaration"
TEXT_DOCUMENT_DEFINITION = "textDocument/definition"
TEXT_DOCUMENT_DIAGNOSTIC = "textDocument/diagnostic"
TEXT_DOCUMENT_DID_CHANGE = "textDocument/didChange"
TEXT_DOCUMENT_DID_CLOSE = "textDocument/didClose"
TEXT_DOCUMENT_DID_OPEN = "textDocument/didOpen"
TEXT_DOCUMENT_DID_SAVE = "textDocument/didSave"
TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT = "textDocument/documentHighlight"
TEXT_DOCUMENT_DOCUMENT_LINK = "textDocument/documentLink"
TEXT_DOCUMENT_DOCUMENT_SYMBOL = "textDocument/documentSymbol"
TEXT_DOCUMENT_FOLDING_RANGE = "textDocument/foldingRange"
TEXT_DOCUMENT_FORMATTING = "textDocument/formatting"
TEXT_DOCUMENT_HOVER = "textDocument/hover"
TEXT_DOCUMENT_IMPLEMENTATION = "textDocument/implementation"
TEXT_DOCUMENT_INLAY_HINT = "textDocument/inlayHint"
TEXT_DOCUMENT_ON_TYPE_FORMATTING = "textDocument/onTypeFormatting"
TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY = "textDocument/prepareCallHierarchy"
TEXT_DOCUMENT_PREPARE_RENAME = "textDocument/prepareRename"
TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS = "textDocument/publishDiagnostics"
TEXT_DOCUMENT_RANGE_FORMATTING = "textDocument/rangeFormatting"
TEXT_DOCUMENT_REFERENCES = "textDocument/references"
TEXT_DOCUMENT_RENAME = "textDocument/rename"
TEXT_DOCUMENT_SELECTION_RANGE = "textDocument/selectionRange"
TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL = "textDocument/semanticTokens/full"
TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA = "textDocument/semanticTokens/full/delta"
TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE = "textDocument/semanticTokens/range"
TEXT_DOCUMENT_SIGNATURE_HELP = "textDocument/signatureHelp"
TEXT_DOCUMENT_TYPE_DEFINITION = "textDocument/typeDefinition"
WINDOW_LOG_MESSAGE = "window/logMessage"
WINDOW_SHOW_MESSAGE = "window/showMessage"
WINDOW_WORK_DONE_PROGRESS_CANCEL = "window/workDoneProgress/cancel"
WORKSPACE_APPLY_EDIT = "workspace/applyEdit"
WORKSPACE_CODE_LENS_REFRESH = "workspace/codeLens/refresh"
WORKSPACE_CONFIGURATION = "workspace/configuration"
WORKSPACE_DIAGNOSTIC = "workspace/diagnostic"
WORKSPACE_DIAGNOSTIC_REFRESH = "workspace/diagnostic/refresh"
WORKSPACE_DID_CHANGE_CONFIGURATION = "workspace/didChangeConfiguration"
WORKSPACE_DID_CHANGE_WATCHED_FILES = "workspace/didChangeWatchedFiles"
WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS = "workspace/didChangeWorkspaceFolders"
WORKSPACE_EXECUTE_COMMAND = "workspace/executeCommand"
WORKSPACE_INLAY_HINT_REFRESH = "workspace/inlayHint/refresh"
WORKSPACE_SEMANTIC_TOKENS_REFRESH = "workspace/semanticTokens/refresh"
WORKSPACE_SYMBOL = "workspace/symbol"
WORKSPACE_WILL_RENAME_FILES = "workspace/willRenameFiles"


# ---- places, texts and edits -----------------------------------------------------------------------------------------
class PositionEncodingKind(enum.StrEnum):
    Utf8 = "utf-8"
    Utf16 = "utf-16"
    Utf32 = "utf-32"


class Position(_Data):
    line: int
    character: int


class Range(_Data):
    start: Position
    end: Position


class Location(_Data):
    uri: str
    range: Range


class LocationLink(_Data):
    target_uri: str
    target_range: Range
    target_selection_range: Range
    origin_selection_range: Range | None = None


class MarkupKind(enum.StrEnum):
    PlainText = "plaintext"
    Markdown = "markdown"


class MarkupContent(_Data):
    kind: MarkupKind
    value: str


class Command(_Data):
    title: str
    command: str
    tooltip: str | None = None
    arguments: list[Any] | None = None


class TextEdit(_Data):
    range: Range
    new_text: str


class TextDocumentIdentifier(_Data):
    uri: str


class VersionedTextDocumentIdentifier(_Data):
    version: int
    uri: str


class OptionalVersionedTextDocumentIdentifier(_Data):
    uri: str
    version: int | None


class TextDocumentEdit(_Data):
    text_document: OptionalVersionedTextDocumentIdentifier
    edits: list[TextEdit]


class RenameFile(_Data, tag_field="kind", tag="rename"):
    old_uri: str
    new_uri: str


class WorkspaceEdit(_Data):
    changes: dict[str, list[TextEdit]] | None = None
    document_changes: list[TextDocumentEdit | RenameFile] | None = None


class ApplyWorkspaceEditParams(_Data):
    edit: WorkspaceEdit
    label: str | None = None


class ApplyWorkspaceEditResult(_Data):
    applied: bool


class TextDocumentParams(_Data):
    """The parameters of requests about a document, with nothing more that we look at."""

    text_document: TextDocumentIdentifier


class TextDocumentPositionParams(_Data):
    text_document: TextDocumentIdentifier
    position: Position


# ---- what a client can do --------------------------------------------------------------------------------------------
class Registering(_Data):
    """What a client says of a feature that can be registered later."""

    dynamic_registration: bool | None = None


class Refreshing(_Data):
    """What a client says of something that it shows, and may be told to ask for again."""

    refresh_support: bool | None = None


class Linking(_Data):
    """What a client says of a question where a name leads to."""

    link_support: bool | None = None


class WorkspaceEditClientCapabilities(_Data):
    document_changes: bool | None = None
    resource_operations: list[str] | None = None


class FileOperationClientCapabilities(_Data):
    will_rename: bool | None = None


class WorkspaceClientCapabilities(_Data):
    configuration: bool | None = None
    file_operations: FileOperationClientCapabilities | None = None
    workspace_edit: WorkspaceEditClientCapabilities | None = None
    did_change_configuration: Registering | None = None
    did_change_watched_files: Registering | None = None
    semantic_tokens: Refreshing | None = None
    code_lens: Refreshing | None = None
    inlay_hint: Refreshing | None = None
    diagnostics: Refreshing | None = None


class ClientDiagnosticsTagOptions(_Data):
    value_set: list[int]


class DiagnosticsCapabilities(_Data):
    related_information: bool | None = None
    tag_support: ClientDiagnosticsTagOptions | None = None
    code_description_support: bool | None = None


class ClientCompletionItemOptions(_Data):
    snippet_support: bool | None = None
    documentation_format: list[str] | None = None
    insert_replace_support: bool | None = None


class CompletionListCapabilities(_Data):
    item_defaults: list[str] | None = None


class CompletionClientCapabilities(_Data):
    completion_item: ClientCompletionItemOptions | None = None
    completion_list: CompletionListCapabilities | None = None


class HoverClientCapabilities(_Data):
    content_format: list[str] | None = None


class ClientSignatureParameterInformationOptions(_Data):
    label_offset_support: bool | None = None


class ClientSignatureInformationOptions(_Data):
    documentation_format: list[str] | None = None
    parameter_information: ClientSignatureParameterInformationOptions | None = None
    active_parameter_support: bool | None = None


class SignatureHelpClientCapabilities(_Data):
    signature_information: ClientSignatureInformationOptions | None = None


class DocumentSymbolClientCapabilities(_Data):
    hierarchical_document_symbol_support: bool | None = None


class CodeActionClientCapabilities(_Data):
    code_action_literal_support: Any = None


class RenameClientCapabilities(_Data):
    prepare_support: bool | None = None


class TextDocumentClientCapabilities(_Data):
    completion: CompletionClientCapabilities | None = None
    hover: HoverClientCapabilities | None = None
    signature_help: SignatureHelpClientCapabilities | None = None
    declaration: Linking | None = None
    definition: Linking | None = None
    type_definition: Linking | None = None
    implementation: Linking | None = None
    document_symbol: DocumentSymbolClientCapabilities | None = None
    code_action: CodeActionClientCapabilities | None = None
    rename: RenameClientCapabilities | None = None
    publish_diagnostics: DiagnosticsCapabilities | None = None
    diagnostic: DiagnosticsCapabilities | None = None


class GeneralClientCapabilities(_Data):
    position_encodings: list[str] | None = None


class ClientCapabilities(_Data):
    workspace: WorkspaceClientCapabilities | None = None
    text_document: TextDocumentClientCapabilities | None = None
    general: GeneralClientCapabilities | None = None
    experimental: Any = None


class ResourceOperationKind(enum.StrEnum):
    Create = "create"
    Rename = "rename"
    Delete = "delete"


# ---- the session -----------------------------------------------------------------------------------------------------
class TraceValue(enum.StrEnum):
    Off = "off"
    Messages = "messages"
    Verbose = "verbose"


class MessageType(enum.IntEnum):
    Error = 1
    Warning = 2
    Info = 3
    Log = 4
    Debug = 5


class WorkspaceFolder(_Data):
    uri: str
    name: str


class InitializeParams(_Data):
    capabilities: ClientCapabilities
    process_id: int | None = None
    root_uri: str | None = None
    initialization_options: Any = None
    trace: TraceValue | None = None
    workspace_folders: list[WorkspaceFolder] | None = None


class ServerInfo(_Data):
    name: str
    version: str | None = None


class InitializeResult(_Data):
    capabilities: dict[str, Any]
    server_info: ServerInfo | None = None


class InitializedParams(_Data):
    pass


class SetTraceParams(_Data):
    value: TraceValue


class LogTraceParams(_Data):
    message: str
    verbose: str | None = None


class CancelParams(_Data):
    id: int | str


class ShowMessageParams(_Data):
    type: MessageType
    message: str


class LogMessageParams(_Data):
    type: MessageType
    message: str


class Registration(_Data):
    id: str
    method: str
    register_options: Any = None


class RegistrationParams(_Data):
    registrations: list[Registration]


class ExecuteCommandParams(_Data):
    command: str
    arguments: list[Any] | None = None


class ProgressParams(_Data):
    token: ProgressToken
    value: Any


class WorkDoneProgressBegin(_Data, tag_field="kind", tag="begin"):
    title: str
    cancellable: bool | None = None
    message: str | None = None
    percentage: int | None = None


class WorkDoneProgressReport(_Data, tag_field="kind", tag="report"):
    cancellable: bool | None = None
    message: str | None = None
    percentage: int | None = None


class WorkDoneProgressEnd(_Data, tag_field="kind", tag="end"):
    message: str | None = None


class WorkDoneProgressCancelParams(_Data):
    token: ProgressToken


# ---- documents, files and settings -----------------------------------------------------------------------------------
class TextDocumentItem(_Data):
    uri: str
    language_id: str
    version: int
    text: str


class DidOpenTextDocumentParams(_Data):
    text_document: TextDocumentItem


class TextDocumentContentChangeEvent(_Data):
    """A new text for a range, or, without one, for the whole document."""

    text: str
    range: Range | None = None


class DidChangeTextDocumentParams(_Data):
    text_document: VersionedTextDocumentIdentifier
    content_changes: list[TextDocumentContentChangeEvent]


class SaveOptions(_Data):
    include_text: bool | None = None


class FileChangeType(enum.IntEnum):
    Created = 1
    Changed = 2
    Deleted = 3


class FileEvent(_Data):
    uri: str
    type: FileChangeType


class DidChangeWatchedFilesParams(_Data):
    changes: list[FileEvent]


class WatchKind(enum.IntFlag):
    Create = 1
    Change = 2
    Delete = 4


class FileSystemWatcher(_Data):
    glob_pattern: str
    kind: WatchKind | None = None


class DidChangeWatchedFilesRegistrationOptions(_Data):
    watchers: list[FileSystemWatcher]


class DidChangeConfigurationParams(_Data):
    settings: Any


class DidChangeConfigurationRegistrationOptions(_Data):
    section: str | list[str] | None = None


class ConfigurationItem(_Data):
    scope_uri: str | None = None
    section: str | None = None


class ConfigurationParams(_Data):
    items: list[ConfigurationItem]


class WorkspaceFoldersChangeEvent(_Data):
    added: list[WorkspaceFolder]
    removed: list[WorkspaceFolder]


class DidChangeWorkspaceFoldersParams(_Data):
    event: WorkspaceFoldersChangeEvent


class FileOperationPatternKind(enum.StrEnum):
    File = "file"
    Folder = "folder"


class FileOperationPattern(_Data):
    glob: str
    matches: FileOperationPatternKind | None = None


class FileOperationFilter(_Data):
    pattern: FileOperationPattern
    scheme: str | None = None


class FileOperationRegistrationOptions(_Data):
    filters: list[FileOperationFilter]


class FileRename(_Data):
    old_uri: str
    new_uri: str


class RenameFilesParams(_Data):
    files: list[FileRename]


# ---- diagnostics -----------------------------------------------------------------------------------------------------
class DiagnosticSeverity(enum.IntEnum):
    Error = 1
    Warning = 2
    Information = 3
    Hint = 4


class DiagnosticTag(enum.IntEnum):
    Unnecessary = 1
    Deprecated = 2


class CodeDescription(_Data):
    href: str


class DiagnosticRelatedInformation(_Data):
    location: Location
    message: str


class Diagnostic(_Data):
    range: Range
    message: str
    severity: DiagnosticSeverity | None = None
    code: int | str | None = None
    code_description: CodeDescription | None = None
    source: str | None = None
    tags: list[DiagnosticTag] | None = None
    related_information: list[DiagnosticRelatedInformation] | None = None
    data: Any = None


class PublishDiagnosticsParams(_Data):
    uri: str
    diagnostics: list[Diagnostic]
    version: int | None = None


class DiagnosticOptions(_Data):
    inter_file_dependencies: bool
    workspace_diagnostics: bool
    identifier: str | None = None
    work_done_progress: bool | None = None


class DocumentDiagnosticParams(_Data):
    text_document: TextDocumentIdentifier
    previous_result_id: str | None = None


class RelatedFullDocumentDiagnosticReport(_Data, tag_field="kind", tag="full"):
    items: list[Diagnostic]
    result_id: str | None = None


class RelatedUnchangedDocumentDiagnosticReport(_Data, tag_field="kind", tag="unchanged"):
    result_id: str


class DiagnosticServerCancellationData(_Data):
    retrigger_request: bool


class PreviousResultId(_Data):
    uri: str
    value: str


class WorkspaceDiagnosticParams(_Data):
    previous_result_ids: list[PreviousResultId]
    work_done_token: ProgressToken | None = None
    partial_result_token: ProgressToken | None = None


class WorkspaceFullDocumentDiagnosticReport(_Data, tag_field="kind", tag="full"):
    uri: str
    items: list[Diagnostic]
    version: int | None
    result_id: str | None = None


class WorkspaceUnchangedDocumentDiagnosticReport(_Data, tag_field="kind", tag="unchanged"):
    uri: str
    result_id: str
    version: int | None


class WorkspaceDiagnosticReport(_Data):
    items: list[WorkspaceFullDocumentDiagnosticReport | WorkspaceUnchangedDocumentDiagnosticReport]


WorkspaceDiagnosticReportPartialResult = WorkspaceDiagnosticReport


# ---- reading code ----------------------------------------------------------------------------------------------------
class Hover(_Data):
    contents: MarkupContent
    range: Range | None = None


class SignatureHelpOptions(_Data):
    trigger_characters: list[str] | None = None
    retrigger_characters: list[str] | None = None


class ParameterInformation(_Data):
    label: str | tuple[int, int]
    documentation: str | MarkupContent | None = None


class SignatureInformation(_Data):
    label: str
    documentation: str | MarkupContent | UnsetType
    parameters: list[ParameterInformation]
    active_parameter: int | None
    """None is sent: no parameter is active. Without a word it would be the first."""


class SignatureHelp(_Data):
    signatures: list[SignatureInformation]
    active_signature: int
    active_parameter: int | None
    """As in ``SignatureInformation``."""


class ReferenceContext(_Data):
    include_declaration: bool


class ReferenceParams(_Data):
    context: ReferenceContext
    text_document: TextDocumentIdentifier
    position: Position


class DocumentHighlightKind(enum.IntEnum):
    Text = 1
    Read = 2
    Write = 3


class DocumentHighlight(_Data):
    range: Range
    kind: DocumentHighlightKind | None = None


class FoldingRangeKind(enum.StrEnum):
    Comment = "comment"
    Imports = "imports"
    Region = "region"


class FoldingRange(_Data):
    start_line: int
    end_line: int
    start_character: int | None = None
    end_character: int | None = None
    kind: FoldingRangeKind | None = None


class SelectionRangeParams(_Data):
    text_document: TextDocumentIdentifier
    positions: list[Position]


class SelectionRange(_Data):
    range: Range
    parent: SelectionRange | None = None


class DocumentLinkOptions(_Data):
    resolve_provider: bool | None = None


class DocumentLink(_Data):
    range: Range
    target: str | None = None


class SymbolKind(enum.IntEnum):
    File = 1
    Module = 2
    Namespace = 3
    Package = 4
    Class = 5
    Method = 6
    Property = 7
    Field = 8
    Constructor = 9
    Enum = 10
    Interface = 11
    Function = 12
    Variable = 13
    Constant = 14
    String = 15
    Number = 16
    Boolean = 17
    Array = 18
    Object = 19
    Key = 20
    Null = 21
    EnumMember = 22
    Struct = 23
    Event = 24
    Operator = 25
    TypeParameter = 26


class SymbolInformation(_Data):
    location: Location
    name: str
    kind: SymbolKind
    deprecated: bool | None = None
    tags: list[int] | None = None
    container_name: str | None = None


class DocumentSymbol(_Data):
    name: str
    kind: SymbolKind
    range: Range
    selection_range: Range
    detail: str | None = None
    tags: list[int] | None = None
    deprecated: bool | None = None
    children: list[DocumentSymbol] | None = None


class WorkspaceSymbolParams(_Data):
    query: str


class WorkspaceSymbol(_Data):
    location: Location
    name: str
    kind: SymbolKind
    data: Any = None
    tags: list[int] | None = None
    container_name: str | None = None


class CallHierarchyItem(_Data):
    name: str
    kind: SymbolKind
    uri: str
    range: Range
    selection_range: Range
    tags: list[int] | None = None
    detail: str | None = None
    data: Any = None


class CallHierarchyCallsParams(_Data):
    """The parameters of both directions."""

    item: CallHierarchyItem


class CallHierarchyIncomingCall(_Data):
    from_: CallHierarchyItem = field(name="from")
    from_ranges: list[Range]


class CallHierarchyOutgoingCall(_Data):
    to: CallHierarchyItem
    from_ranges: list[Range]


class SemanticTokenTypes(enum.StrEnum):
    Namespace = "namespace"
    Type = "type"
    Class = "class"
    Enum = "enum"
    Interface = "interface"
    Struct = "struct"
    TypeParameter = "typeParameter"
    Parameter = "parameter"
    Variable = "variable"
    Property = "property"
    EnumMember = "enumMember"
    Event = "event"
    Function = "function"
    Method = "method"
    Macro = "macro"
    Keyword = "keyword"
    Modifier = "modifier"
    Comment = "comment"
    String = "string"
    Number = "number"
    Regexp = "regexp"
    Operator = "operator"
    Decorator = "decorator"


class SemanticTokenModifiers(enum.StrEnum):
    Declaration = "declaration"
    Definition = "definition"
    Readonly = "readonly"
    Static = "static"
    Deprecated = "deprecated"
    Abstract = "abstract"
    Async = "async"
    Modification = "modification"
    Documentation = "documentation"
    DefaultLibrary = "defaultLibrary"


class SemanticTokensLegend(_Data):
    token_types: list[str]
    token_modifiers: list[str]


class SemanticTokens(_Data):
    data: list[int]
    result_id: str | None = None


class SemanticTokensDeltaParams(_Data):
    text_document: TextDocumentIdentifier
    previous_result_id: str


class SemanticTokensRangeParams(_Data):
    text_document: TextDocumentIdentifier
    range: Range


class SemanticTokensEdit(_Data):
    start: int
    delete_count: int
    data: list[int] | None = None


class SemanticTokensDelta(_Data):
    edits: list[SemanticTokensEdit]
    result_id: str | None = None


class InlayHintOptions(_Data):
    resolve_provider: bool | None = None


class InlayHintParams(_Data):
    text_document: TextDocumentIdentifier
    range: Range


class InlayHintKind(enum.IntEnum):
    Type = 1
    Parameter = 2


class InlayHintLabelPart(_Data):
    value: str
    tooltip: str | MarkupContent | None = None
    location: Location | None = None
    command: Command | None = None


class InlayHint(_Data):
    position: Position
    label: str | list[InlayHintLabelPart]
    kind: InlayHintKind | None = None
    text_edits: list[TextEdit] | None = None
    tooltip: str | MarkupContent | None = None
    padding_left: bool | None = None
    padding_right: bool | None = None
    data: Any = None


class CodeLensOptions(_Data):
    resolve_provider: bool | None = None


class CodeLens(_Data):
    range: Range
    command: Command | None = None
    data: Any = None


# ---- writing code ----------------------------------------------------------------------------------------------------
class CompletionOptions(_Data):
    trigger_characters: list[str] | None = None
    resolve_provider: bool | None = None


class CompletionItemKind(enum.IntEnum):
    Text = 1
    Method = 2
    Function = 3
    Constructor = 4
    Field = 5
    Variable = 6
    Class = 7
    Interface = 8
    Module = 9
    Property = 10
    Unit = 11
    Value = 12
    Enum = 13
    Keyword = 14
    Snippet = 15
    Color = 16
    File = 17
    Reference = 18
    Folder = 19
    EnumMember = 20
    Constant = 21
    Struct = 22
    Event = 23
    Operator = 24
    TypeParameter = 25


class InsertTextFormat(enum.IntEnum):
    PlainText = 1
    Snippet = 2


class InsertReplaceEdit(_Data):
    new_text: str
    insert: Range
    replace: Range


class EditRangeWithInsertReplace(_Data):
    insert: Range
    replace: Range


class CompletionItem(_Data):
    label: str
    kind: CompletionItemKind | None = None
    detail: str | None = None
    sort_text: str | None = None
    filter_text: str | None = None
    insert_text_format: InsertTextFormat | None = None
    text_edit: TextEdit | InsertReplaceEdit | None = None
    text_edit_text: str | None = None
    additional_text_edits: list[TextEdit] | None = None
    data: Any = None


class CompletionItemDefaults(_Data):
    edit_range: Range | EditRangeWithInsertReplace | None = None


class CompletionList(_Data):
    is_incomplete: bool
    items: list[CompletionItem]
    item_defaults: CompletionItemDefaults | None = None


class RenameOptions(_Data):
    prepare_provider: bool | None = None


class RenameParams(_Data):
    text_document: TextDocumentIdentifier
    position: Position
    new_name: str


class PrepareRenamePlaceholder(_Data):
    range: Range
    placeholder: str


class DocumentRangeFormattingParams(_Data):
    text_document: TextDocumentIdentifier
    range: Range


class DocumentOnTypeFormattingOptions(_Data):
    first_trigger_character: str
    more_trigger_character: list[str] | None = None


class CodeActionOptions(_Data):
    code_action_kinds: list[str] | None = None


class CodeActionContext(_Data):
    only: list[str] | None = None


class CodeActionParams(_Data):
    text_document: TextDocumentIdentifier
    range: Range
    context: CodeActionContext


class CodeAction(_Data):
    title: str
    kind: str | None = None
    diagnostics: list[Diagnostic] | None = None
    is_preferred: bool | None = None
    edit: WorkspaceEdit | None = None
    command: Command | None = None


PARAMS: dict[str, type[Struct]] = {
    CALL_HIERARCHY_INCOMING_CALLS: CallHierarchyCallsParams,
    CALL_HIERARCHY_OUTGOING_CALLS: CallHierarchyCallsParams,
    CANCEL_REQUEST: CancelParams,
    CODE_LENS_RESOLVE: CodeLens,
    INITIALIZE: InitializeParams,
    INITIALIZED: InitializedParams,
    INLAY_HINT_RESOLVE: InlayHint,
    SET_TRACE: SetTraceParams,
    TEXT_DOCUMENT_CODE_ACTION: CodeActionParams,
    TEXT_DOCUMENT_CODE_LENS: TextDocumentParams,
    TEXT_DOCUMENT_COMPLETION: TextDocumentPositionParams,
    TEXT_DOCUMENT_DECLARATION: TextDocumentPositionParams,
    TEXT_DOCUMENT_DEFINITION: TextDocumentPositionParams,
    TEXT_DOCUMENT_DIAGNOSTIC: DocumentDiagnosticParams,
    TEXT_DOCUMENT_DID_CHANGE: DidChangeTextDocumentParams,
    TEXT_DOCUMENT_DID_CLOSE: TextDocumentParams,
    TEXT_DOCUMENT_DID_OPEN: DidOpenTextDocumentParams,
    TEXT_DOCUMENT_DID_SAVE: TextDocumentParams,
    TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: TextDocumentPositionParams,
    TEXT_DOCUMENT_DOCUMENT_LINK: TextDocumentParams,
    TEXT_DOCUMENT_DOCUMENT_SYMBOL: TextDocumentParams,
    TEXT_DOCUMENT_FOLDING_RANGE: TextDocumentParams,
    TEXT_DOCUMENT_FORMATTING: TextDocumentParams,
    TEXT_DOCUMENT_HOVER: TextDocumentPositionParams,
    TEXT_DOCUMENT_IMPLEMENTATION: TextDocumentPositionParams,
    TEXT_DOCUMENT_INLAY_HINT: InlayHintParams,
    TEXT_DOCUMENT_ON_TYPE_FORMATTING: TextDocumentPositionParams,
    TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: TextDocumentPositionParams,
    TEXT_DOCUMENT_PREPARE_RENAME: TextDocumentPositionParams,
    TEXT_DOCUMENT_RANGE_FORMATTING: DocumentRangeFormattingParams,
    TEXT_DOCUMENT_REFERENCES: ReferenceParams,
    TEXT_DOCUMENT_RENAME: RenameParams,
    TEXT_DOCUMENT_SELECTION_RANGE: SelectionRangeParams,
    TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: TextDocumentParams,
    TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA: SemanticTokensDeltaParams,
    TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE: SemanticTokensRangeParams,
    TEXT_DOCUMENT_SIGNATURE_HELP: TextDocumentPositionParams,
    TEXT_DOCUMENT_TYPE_DEFINITION: TextDocumentPositionParams,
    WINDOW_WORK_DONE_PROGRESS_CANCEL: WorkDoneProgressCancelParams,
    WORKSPACE_DIAGNOSTIC: WorkspaceDiagnosticParams,
    WORKSPACE_DID_CHANGE_CONFIGURATION: DidChangeConfigurationParams,
    WORKSPACE_DID_CHANGE_WATCHED_FILES: DidChangeWatchedFilesParams,
    WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: DidChangeWorkspaceFoldersParams,
    WORKSPACE_EXECUTE_COMMAND: ExecuteCommandParams,
    WORKSPACE_SYMBOL: WorkspaceSymbolParams,
    WORKSPACE_WILL_RENAME_FILES: RenameFilesParams,
}
"""What the parameters of a method are read as. Those of other methods are taken as they are: as plain data."""
