/**
 * The tokens of a Spark SQL statement, as far as the clause and its surroundings need them: strings,
 * quoted identifiers and comments exactly as Spark reads them, all words as IDENTIFIER.
 *
 * No word is a keyword here. `ClauseWords` gives a word of the clause one of the types below where it
 * stands as a keyword, and gives the tokens of expressions, which Spark's parser reads, the type
 * EXPRESSION_TOKEN.
 */
lexer grammar MatchRecognizeLexer;

options { caseInsensitive = true; }

@members {
  /** Whether a bracketed comment lasts to the end of the text. */
  boolean unclosedComment = false;
}

tokens {
  MATCH_RECOGNIZE, PARTITION, ORDER, BY, MEASURES, AS, ONE, ALL, ROW, ROWS, PER, MATCH, SHOW, OMIT,
  EMPTY, TIMEOUT, MATCHES, WITH, UNMATCHED, AFTER, SKIP_KW, PAST, TO, NEXT, FIRST, LAST, INITIAL,
  SEEK, PATTERN, PERMUTE, WITHIN, SUBSET, DEFINE, ASC, DESC, NULLS, EXPRESSION_TOKEN
}

LEFT_PAREN: '(';
RIGHT_PAREN: ')';
LEFT_BRACKET: '[';
RIGHT_BRACKET: ']';
LEFT_EXCLUSION: '{-';
RIGHT_EXCLUSION: '-}';
LEFT_BRACE: '{';
RIGHT_BRACE: '}';
COMMA: ',';
DOT: '.';
EQUAL: '=';
ASTERISK: '*';
PLUS: '+';
QUESTION: '?';
VERTICAL: '|';
DOUBLE_VERTICAL: '||';
PIPE: '|>';
CIRCUMFLEX: '^';
DOLLAR: '$';
SEMICOLON: ';';
COLON: ':';
MINUS: '-';
OPERATOR: '->' | '=>' | '::' | '<=>' | '<>' | '!=' | '==' | '<=' | '>=' | '<<' | '>>' | '>>>'
  | [<>!/%~&@#];

STRING
  : '\'' (~['\\] | '\\' . | '\'\'')* '\''
  | 'R\'' ~'\''* '\''
  | 'R"' ~'"'* '"'
  ;
DOUBLE_QUOTED: '"' (~["\\] | '\\' . | '""')* '"';
BACKQUOTED_IDENTIFIER: '`' (~'`' | '``')* '`';

INTEGER: [0-9]+;
NUMBER
  : [0-9]+ ('L' | 'S' | 'Y' | 'F' | 'D' | 'BD')
  | [0-9]+ EXPONENT ('F' | 'D' | 'BD')?
  | ([0-9]+ '.' [0-9]* | '.' [0-9]+) EXPONENT? ('F' | 'D' | 'BD')?
  ;
IDENTIFIER: [\p{L}0-9_]+;

SIMPLE_COMMENT: '--' ('\\\n' | ~[\r\n])* '\r'? '\n'? -> channel(HIDDEN);
BRACKETED_COMMENT
  : '/*' (BRACKETED_COMMENT | .)*? ('*/' | {unclosedComment = true;} EOF) -> channel(HIDDEN)
  ;
WHITE_SPACE: [\p{White_Space}]+ -> channel(HIDDEN);
OTHER: .;

fragment EXPONENT: 'E' [+-]? [0-9]+;
