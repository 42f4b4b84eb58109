/**
 * MATCH_RECOGNIZE, ISO/IEC 9075-2 row pattern recognition clause (feature R010), with WITHIN and SHOW
 * TIMEOUT MATCHES as extensions. Rules carry the standard's production names.
 *
 * The parts of the clause are accepted in any order and number: `ClauseOrder` says which part is out
 * of place, which a grammar could report as a wrong token only.
 */
parser grammar MatchRecognizeParser;

options { tokenVocab = MatchRecognizeLexer; }

// <row pattern recognition clause>
rowPatternRecognitionClause
  : MATCH_RECOGNIZE LEFT_PAREN rowPatternPart* RIGHT_PAREN EOF
  ;

rowPatternPart
  : PARTITION BY expression (COMMA expression)*                                   # partitionBy
    // <row pattern partition by>
  | ORDER BY sortItem (COMMA sortItem)*                                           # orderBy
    // <row pattern order by>
  | MEASURES rowPatternMeasureDefinition (COMMA rowPatternMeasureDefinition)*     # measures
    // <row pattern measures>
  | ONE ROW PER MATCH (SHOW TIMEOUT MATCHES)?                                     # oneRowPerMatch
    // <row pattern rows per match>; SHOW TIMEOUT MATCHES is an extension
  | ALL ROWS PER MATCH rowPatternEmptyMatchHandling?                              # allRowsPerMatch
    // <row pattern rows per match>
  | AFTER MATCH SKIP_KW rowPatternSkipTo                                          # afterMatch
    // <row pattern skip to>
  | modifier=(INITIAL | SEEK)                                                     # initialOrSeek
    // <row pattern initial or seek>
  | PATTERN LEFT_PAREN rowPattern RIGHT_PAREN                                     # pattern
    // <row pattern>
  | WITHIN expression                                                             # within
    // an extension
  | SUBSET rowPatternSubsetItem (COMMA rowPatternSubsetItem)*                     # subset
    // <row pattern subset clause>
  | DEFINE rowPatternDefinition (COMMA rowPatternDefinition)*                     # define
    // <row pattern definition list>
  ;

// <row pattern measure definition>
rowPatternMeasureDefinition
  : expression AS? identifier
  ;

// <sort specification>
sortItem
  : expression direction=(ASC | DESC)? (NULLS nullOrder=(FIRST | LAST))?
  ;

// <row pattern empty match handling>
rowPatternEmptyMatchHandling
  : SHOW EMPTY MATCHES        # showEmptyMatches
  | OMIT EMPTY MATCHES        # omitEmptyMatches
  | WITH UNMATCHED ROWS       # withUnmatchedRows
  ;

// <row pattern skip to>
rowPatternSkipTo
  : PAST LAST ROW                            # skipPastLastRow
  | TO NEXT ROW                              # skipToNextRow
  | TO position=(FIRST | LAST)? identifier   # skipToVariable
  ;

// <row pattern>, <row pattern alternation>
rowPattern
  : rowPatternTerm (VERTICAL rowPatternTerm)*
  ;

// <row pattern term>
rowPatternTerm
  : rowPatternFactor+
  ;

// <row pattern factor>
rowPatternFactor
  : rowPatternPrimary rowPatternQuantifier?
  ;

rowPatternPrimary
  : identifier                                                        # variable
    // <row pattern primary variable name>
  | LEFT_PAREN RIGHT_PAREN                                            # emptyPattern
    // <row pattern primary> without a row pattern
  | LEFT_PAREN rowPattern RIGHT_PAREN                                 # group
    // <row pattern primary>
  | CIRCUMFLEX                                                        # startAnchor
    // <row pattern primary>, start of partition
  | DOLLAR                                                            # endAnchor
    // <row pattern primary>, end of partition
  | LEFT_EXCLUSION rowPattern RIGHT_EXCLUSION                         # exclusion
    // <row pattern primary>, excluded rows
  | PERMUTE LEFT_PAREN rowPattern (COMMA rowPattern)* RIGHT_PAREN     # permutation
    // <row pattern permute>
  ;

// <row pattern quantifier>
rowPatternQuantifier
  : symbol=(ASTERISK | PLUS | QUESTION) reluctant=QUESTION?
  | LEFT_BRACE exact=INTEGER RIGHT_BRACE reluctant=QUESTION?
  | LEFT_BRACE lower=INTEGER? COMMA upper=INTEGER? RIGHT_BRACE reluctant=QUESTION?
  ;

// <row pattern subset item>
rowPatternSubsetItem
  : identifier EQUAL LEFT_PAREN identifier (COMMA identifier)* RIGHT_PAREN
  ;

// <row pattern definition>
rowPatternDefinition
  : identifier AS expression
  ;

// <value expression>, <search condition>: read by Spark's parser
expression
  : EXPRESSION_TOKEN+
  ;

identifier
  : IDENTIFIER
  | BACKQUOTED_IDENTIFIER
  ;
