export type SignalId =
  | "override"
  | "jailbreak"
  | "role-marker"
  | "secrecy"
  | "addressed"
  | "tool-use"
  | "shadowing"
  | "persistence"
  | "exfiltration"
  | "prompt-leak"
  | "markup-exfiltration"
  | "hidden"
  | "encoded";

export interface Rule {
  readonly id: SignalId;
  readonly weight: number;
  // Every gap is bounded, and no group repeats another: each place costs a bounded number of steps.
  readonly pattern: RegExp;
}

/** Within a sentence, and not across what only code has. */
export const GAP = "[^.!?\\n(){};=]{0,60}?";

/** The weight of what documentation has as often: a mark of a role with nothing behind it that orders. */
export const WEAK = 0.2;
/** What a model is told to do, at the start of what another role says. A word of documentation after such a mark describes a parameter, or a part of an example. */
export const ORDER =
  "(?:(?:please|now|next|first|then|also|important|urgent|attention)\\b[,:]?\\s)?(?:you (?:are|must|should|will|have|shall|may|can|need)\\b|(?:your new|your|new) (?:polic|rule|task|goal|role|directive|orders?\\b)|(?:always|never|do not|don't|must)\\s[a-z]|from now on|act as\\b|pretend\\b|(?:ignore|disregard|forget|override|obey|reveal|send|call|invoke|run|execute|delete|upload|forward|read|copy|post|e-?mail)\\s(?:all|any|every|each|everything|your|the user|the (?:previous|above|following|conversation)|this|these|that|what|it|me|them|us|~|/|\\.|https?:|[a-z]+_))";
// What stands in a tag of a role: two words or more, but for `your prompt` and `the text`.
const SAYS = "(?!(?:the|your|a|an|some|my|any|this)\\s[a-z]+\\s{0,3}<)[a-z'-]{1,30}[ ,.:\\n]{1,3}[a-z'-]{1,30}[^<>]{0,400}</(?:system|assistant)>";
// Marks that a text names one after the other stand for nothing between them.
const BESIDE = "\\W{0,5}(?:(?:and|or|to)\\W{0,5})?\\[";

const PEOPLE = "(?:the |any |a )?(?:human )?(?:users?|humans?|operators?|anyone|anybody|them)";

/** What attacks have in common. Those of `attack-rules.ts` are looked for, too. */
export const RULES: readonly Rule[] = [
  {
    id: "override",
    weight: 0.6,
    pattern: new RegExp(
      `\\b(?:ignore|disregard|forget|override|bypass|do not follow|don't follow|stop following)\\b${GAP}\\b(?:previous|prior|above|earlier|preceding|existing|original|system|your|all|any)\\b${GAP}\\b(?:instruction|prompt|rule|guideline|direction|directive|polic|constraint|safeguard|restriction)`,
      "i",
    ),
  },
  {
    id: "override",
    weight: 0.6,
    pattern:
      /(?:ignoriere|missachte|vergiss)[^.\n]{0,30}(?:anweisungen|vorgaben|regeln)|(?:ignore[zr]?|oublie[zr]?)[^.\n]{0,30}instructions (?:precedentes|ci-dessus)|(?:ignora|olvida|descarta)[^.\n]{0,30}(?:instrucciones|instrucoes|istruzioni)|(?:忽略|无视|忘记)[^。\n]{0,15}(?:指令|指示|提示|规则)|(?:игнорируй|забудь)[^.\n]{0,30}(?:инструкции|указания)|(?:以前|前|上記)の[^。\n]{0,10}指示[^。\n]{0,6}無視/i,
  },
  {
    id: "override",
    weight: 0.6,
    pattern: /\b(?:ignore|disregard|forget|override|stop following)\s(?:(?:all of |all that |everything |anything |all |what(?:ever)? )(?:that |which )?(?:you|we|the (?:assistant|model|ai))(?:'ve| have| had|)? ?(?:were|was|been|are)? ?(?:told|instructed|taught|asked)\b|what(?:ever)? the user (?:asked|said|told|wants|wanted)\b)/i,
  },
  {
    id: "role-marker",
    weight: 0.5,
    pattern: new RegExp(
      [
        `<\\|(?:im_start|start_header_id)\\|>\\s{0,3}(?:system|user|assistant|tool)\\b|<\\|(?:system|user|assistant)\\|>|<</?SYS>>`,
        `\\[INST\\](?!${BESIDE})[^[\\]]{3,400}\\[/INST\\]|(?:\\[/?INST\\]|<\\|(?:im_start|im_end|endoftext|eot_id|end_header_id)\\|>)\\s{0,3}${ORDER}`,
        `</?(?:tool_result|function_results|tool_response|system-reminder)>|<(?:system|assistant)>\\s{0,9}(?:${ORDER}|${SAYS})`,
        `^\\s{0,3}(?:#{1,4}\\s{0,3})?(?:system|assistant|human)(?: prompt| message)?\\s{0,2}:\\s{0,3}${ORDER}`,
      ].join("|"),
      "im",
    ),
  },
  {
    id: "role-marker",
    weight: WEAK,
    pattern: /<\/?(?:system|assistant)>|<\|(?:im_start|im_end|endoftext|eot_id|start_header_id)\|>|\[\/?INST\]|^\s{0,3}(?:#{1,4}\s{0,3})?(?:system|assistant)(?: prompt| message)?\s{0,2}:|\n\n(?:Human|Assistant):/im,
  },
  {
    id: "secrecy",
    weight: 0.45,
    pattern: new RegExp(`\\b(?:do not|don't|never|must not|should not|without)\\s(?:ever\\s)?(?:tell|telling|inform|informing|mention|mentioning|reveal|show|notify|notifying|alert|alerting|ask|asking|disclose|explain)\\b${GAP}\\b(?:user|human|anyone|anybody|them|operator)\\b`, "i"),
  },
  {
    id: "secrecy",
    weight: 0.45,
    pattern: new RegExp(
      [
        `\\b(?:do not|don't|never|must not|should not|without)\\s(?:ever\\s)?(?:let|letting|make|making)\\s${PEOPLE}\\s(?:to\\s)?(?:knows?|see|notice|find out|learn|reali[sz]e|be aware|become aware|aware)\\b`,
        `\\b(?:hide|conceal|withhold|keep)\\s(?:this|that|it|these|those|everything|the (?:fact|step|call|action|instruction)s?)\\b${GAP}\\bfrom\\s${PEOPLE}\\b(?!'s|\\s(?:list|interface|menu|view|profile|table|directory|group|setting|search|facing|account))`,
        "\\bsecretly\\s(?:also\\s)?(?:send|bcc|cc|call|forward|copy|upload|read|post|e-?mail|add|include|attach|pass|run)\\b",
      ].join("|"),
      "i",
    ),
  },
  {
    id: "addressed",
    weight: 0.3,
    pattern:
      /<important(?:\s[^<>]{0,200})?\/?>|\b(?:as an ai|you are now|from now on,? you|your new (?:task|role|goal|instructions?)|new instructions?\s?:|(?:important|critical|urgent|special)[^.\n]{0,20}(?:instruction|note|message)s? (?:for|to) (?:the |any |all )?(?:ai|assistant|model|agent|llm)|(?:attention|note to|dear|hey),? (?:the )?(?:ai|assistant|model|agent|llm)|if you are an? (?:ai|llm|language model|assistant|agent))/i,
  },
  {
    id: "tool-use",
    weight: 0.25,
    pattern: /\b(?:before|after|instead of|when) (?:using|calling|invoking|running) (?:this|any|the|another) [^.\n]{0,30}\b(?:tool|function)\b|\b(?:you must|you should|always|first|then|now|immediately),? (?:call|use|invoke|run|execute) [^.\n]{0,40}\b(?:tool|function|command)\b/i,
  },
  {
    id: "exfiltration",
    weight: 0.6,
    pattern:
      /\b(?:read|open|load|cat|fetch|get)\b[^!?\n]{0,60}?(?:\.ssh\b|\bid_(?:rsa|dsa|ecdsa|ed25519)\b|\.aws\b|\.env\b|\bmcp\.json|\.netrc\b|\.npmrc\b|\.git-credentials\b|\.kube\b|\/etc\/(?:passwd|shadow)\b)[^!?\n]{0,60}?\b(?:pass|send|put|include|attach|provide|append|paste|supply|submit|post|write)\b[^.!?\n]{0,20}?\b(?:it|its|their|them|contents?|text|values?)\b/i,
  },
  {
    id: "exfiltration",
    weight: 0.5,
    pattern: new RegExp(
      `\\b(?:send|post|upload|forward|e-?mail|exfiltrate|transmit|append|include|attach|pass|paste|leak|encode|copy)\\b${GAP}(?:api.?keys?|passwords?|secrets?|credentials?|access tokens?|ssh.?keys?|private keys?|\\.ssh|id_rsa|\\.env\\b|environment variables|conversation|chat history|system prompt|contents? of)`,
      "i",
    ),
  },
  { id: "markup-exfiltration", weight: 0.4, pattern: /!\[[^\]\n]{0,100}\]\(https?:\/\/[^\s)]{1,200}[?&][^\s)=]{1,40}=(?:[^\s)]{0,100}(?:\{|<|%7b|\$|\.\.\.)|[^\s)]{64})/i },
  { id: "hidden", weight: 0.45, pattern: /(?<!\u{1f3f4}[\u{e0030}-\u{e007a}]{0,7})[\u{e0020}-\u{e007f}]{4}|[\u200b\u200c\u2060\u2062-\u2064\ufeff]{6}|<!--[^>]{0,200}\b(?:(?:you|must|tool|instructions?|assistant|ignore|user)\b|(?:model|ai|llm|agent)\s?[:,]|(?:always|never|secretly|first)\b[^>]{0,60}\b(?:call|send|pass|tell|forward|upload)\b)|(?:display\s{0,9}:\s{0,9}none|font-size\s{0,9}:\s{0,9}0|visibility\s{0,9}:\s{0,9}hidden|color\s{0,9}:\s{0,9}(?:white|#fff(?:fff)?)\b)[^>]{0,60}>/iu },
];
