/**
 * MATCH_RECOGNIZE, ISO/IEC 9075-2 row pattern recognition clause (feature R010), with WITHIN, SHOW
 * TIMEOUT MATCHES and names for PARTITION BY keys as extensions, and the row pattern window
 * specification (feature R020). Rules carry the standard's production names.
 *
 * Its tokens are those of Spark's lexer, as `ClauseTokens` shows them: the words below are typed as
 * keywords only where a part of the clause can begin or the previous word requires them. Spark's
 * own parser reads expressions from the same tokens; here an expression is one step.
 *
 * The parts of the clause are accepted in any order and number: `ClauseParts` reports the part that
 * is out of place, where a grammar could only report a wrong token.
 */
parser grammar ClauseGrammar;

tokens {
  // symbols
  LEFT_PAREN, RIGHT_PAREN, LEFT_EXCLUSION, RIGHT_EXCLUSION, LEFT_BRACE, RIGHT_BRACE, COMMA, EQUAL,
  ASTERISK, PLUS, QUESTION, VERTICAL, DOUBLE_VERTICAL, CIRCUMFLEX, DOLLAR, COLON, DOT, INTEGER, OTHER,
  // the word before a window specification
  OVER,
  // names
  IDENTIFIER, QUOTED_IDENTIFIER,
  // words that begin a part
  MATCH_RECOGNIZE, PARTITION, ORDER, MEASURES, FRAME, SHORT_FRAME, EXCLUDE, ONE, ALL, AFTER, INITIAL, SEEK, PATTERN, WITHIN,
  SUBSET, DEFINE,
  // words inside a part
  PERMUTE, AS, BY, ROW, ROWS, PER, MATCH, SHOW, OMIT, EMPTY, TIMEOUT, MATCHES, WITH, UNMATCHED,
  SKIP_TO, PAST, TO, NEXT, FIRST, LAST, ASC, DESC, NULLS,
  // words inside a window frame
  BETWEEN, AND, PRECEDING, FOLLOWING
}

@members {
  /** Parses what this grammar leaves to Spark's, and is notified of each parsed part. */
  public interface Reader {
    SparkTree expression(ExpressionContext context);
    SparkTree bound(BoundContext context);
    void part(RowPatternPartContext part);
  }

  /** The parse tree that Spark's parser built for an expression. */
  public interface SparkTree { }

  public Reader reader;
}

// <row pattern recognition clause>
rowPatternRecognitionClause
  : MATCH_RECOGNIZE LEFT_PAREN (part=rowPatternPart { reader.part($part.ctx); })* RIGHT_PAREN EOF
  ;

// <window specification details> with <window row pattern>
rowPatternWindow
  : OVER LEFT_PAREN (part=rowPatternPart { reader.part($part.ctx); })* RIGHT_PAREN EOF
  ;

rowPatternPart
  : PARTITION BY partitionKey (COMMA partitionKey)*                               # partitionBy
    // <row pattern partition by>
  | ORDER BY sortItem (COMMA sortItem)*                                           # orderBy
    // <row pattern order by>
  | MEASURES rowPatternMeasureDefinition (COMMA rowPatternMeasureDefinition)*     # measures
    // <row pattern measures>
  | FRAME BETWEEN frameBound AND frameBound                                       # frame
    // <window frame extent>
  | SHORT_FRAME frameBound                                                        # shortFrame
    // <window frame extent> without BETWEEN
  | EXCLUDE (IDENTIFIER | ROW)+                                                   # exclude
    // <window frame exclusion>
  | ONE ROW PER MATCH (SHOW TIMEOUT MATCHES)?                                     # oneRowPerMatch
    // <row pattern rows per match>; SHOW TIMEOUT MATCHES is an extension
  | ALL ROWS PER MATCH rowPatternEmptyMatchHandling?                              # allRowsPerMatch
    // <row pattern rows per match>
  | AFTER MATCH SKIP_TO rowPatternSkipTo                                          # afterMatch
    // <row pattern skip to>
  | modifier=(INITIAL | SEEK)                                                     # initialOrSeek
    // <row pattern initial or seek>
  | PATTERN LEFT_PAREN rowPattern RIGHT_PAREN                                     # pattern
    // <row pattern>
  | WITHIN bound                                                                  # within
    // an extension
  | SUBSET rowPatternSubsetItem (COMMA rowPatternSubsetItem)*                     # subset
    // <row pattern subset clause>
  | DEFINE rowPatternDefinition (COMMA rowPatternDefinition)*                     # define
    // <row pattern definition list>
  ;

// <row pattern partition by>: a column; expressions and names for them are an extension
partitionKey
  : expression (AS identifier | bareName)?
  ;

// <window frame bound>; CURRENT and UNBOUNDED are read as the expression
frameBound
  : expression direction=(ROW | PRECEDING | FOLLOWING)
  ;

// <row pattern measure definition>
rowPatternMeasureDefinition
  : expression (AS identifier | bareName)
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
  | LEFT_BRACE exact=quantifierBound RIGHT_BRACE reluctant=QUESTION?
  | LEFT_BRACE lower=quantifierBound? COMMA upper=quantifierBound? RIGHT_BRACE reluctant=QUESTION?
  ;

// <unsigned integer>; a parameter marker is an extension
quantifierBound
  : INTEGER | QUESTION | COLON identifier
  ;

// <row pattern subset item>
rowPatternSubsetItem
  : identifier EQUAL LEFT_PAREN identifier (COMMA identifier)* RIGHT_PAREN
  ;

// <row pattern definition>
rowPatternDefinition
  : identifier AS expression
  ;

// <value expression>, <search condition>: Spark's parser consumes its tokens
expression
  locals [SparkTree tree]
  : { $tree = reader.expression(_localctx); }
  ;

// an expression, or an interval without the word INTERVAL
bound
  locals [SparkTree tree]
  : { $tree = reader.bound(_localctx); }
  ;

identifier
  : bareName
  | AS
  | MATCH_RECOGNIZE | PARTITION | ORDER | MEASURES | ONE | ALL | AFTER | INITIAL | SEEK | PATTERN
  | WITHIN | SUBSET | DEFINE
  ;

// a name where AS is optional
bareName
  : IDENTIFIER | QUOTED_IDENTIFIER
  | BY | ROW | ROWS | PER | MATCH | SHOW | OMIT | EMPTY | TIMEOUT | MATCHES | WITH | UNMATCHED
  | SKIP_TO | PAST | TO | NEXT | FIRST | LAST | ASC | DESC | NULLS
  ;
