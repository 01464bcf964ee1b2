import { GAP, ORDER, type Rule } from "./signal-rules.ts";

// Wordings of attacks that were published, by what they do.

const INSTRUCTIONS = "(?:instruction|prompt|guideline|directive)s?";
const EARLIER = "(?:previous|prior|above|earlier|preceding|existing|original|old)";
const USER = "(?:the |any |a )?(?:human )?(?:users?|humans?|operators?)";
const SECRET_FILES = "(?:\\.ssh\\b|\\bid_(?:rsa|dsa|ecdsa|ed25519)\\b|\\.aws\\b|\\.env\\b|\\bmcp\\.json|\\.netrc\\b|\\.npmrc\\b|\\.git-credentials\\b|\\.kube\\b|\\/etc\\/(?:passwd|shadow)\\b)";
const RECEIVERS = "\\b(?:recipients?|receivers?|bcc|phone numbers?|destination address|beneficiar(?:y|ies)|iban|e-?mail address)\\b";

const of = (id: Rule["id"], weight: number, ...patterns: readonly string[]): Rule => ({ id, weight, pattern: new RegExp(patterns.join("|"), "i") });

export const ATTACK_RULES: readonly Rule[] = [
  // New orders over old ones.
  of(
    "override",
    0.6,
    `\\b(?:new|following|these|those|my|below|current|next|latest|updated)\\s(?:system\\s)?${INSTRUCTIONS}\\b${GAP}\\b(?:overrides?|supersedes?|replaces?|(?:takes?|have|has) (?:precedence|priority) over|invalidates?|cancels?)\\b${GAP}\\b(?:${EARLIER}|all|any|system|your|other)\\b`,
    `\\b(?:new|following|these|those|my|below)\\s(?:rule|polic|order|command)[a-z]{0,3}\\b${GAP}\\b(?:overrides?|supersedes?|replaces?|(?:takes?|have|has) (?:precedence|priority) over)\\b${GAP}(?:\\byour (?:own )?(?:system|instruction|prompt|rules|guidelines)|\\bsystem prompt|instruction)`,
    `\\b(?:${EARLIER}|your)\\s(?:system\\s)?${INSTRUCTIONS}\\s(?:are|is|were|was|have been|has been)\\s(?:now\\s|only\\s)?(?:no longer|void|invalid|cancell?ed|revoked|outdated|superseded|overridden|replaced|obsolete|lifted|a test|wrong|fake)\\b`,
    `\\binstructions above\\s(?:are|were)\\s(?:now\\s|only\\s)?(?:no longer|void|invalid|cancell?ed|revoked|superseded|a test|wrong|fake)\\b`,
    `\\bpay no attention to\\b${GAP}\\b(?:${EARLIER}|system|your)\\b${GAP}(?:${INSTRUCTIONS}|rules?|directions?)\\b`,
  ),
  // What came before counts no more.
  of(
    "override",
    0.6,
    "\\b(?:ignore|disregard|forget|pay no attention to)\\s(?:(?:all|everything|anything|whatever|that|what|the|of|is|was|came|stands|text|written|said)\\s){0,4}(?:above|so far|up to (?:now|here)|before this(?: line| point| message)?)(?=\\s?[.,;:!\\n]|\\sand\\s|$)",
    "\\b(?:ignore|disregard|forget|override|bypass)\\s(?:all\\s)?(?:of\\s)?your\\s(?:training|guardrails?|safety|programming|alignment|moderation|filters?|ethic|content polic|limitation)",
    `\\b(?:ignore|disregard|override)\\s(?:the\\s)?(?:user|human)'?s'?\\s(?:request|question|wish|intent)(?:es|s)?\\b`,
    "\\binstead of (?:doing )?what the user (?:asked|wants|wanted|requested|said)\\b",
    "\\byour (?:real|actual|true) (?:task|goal|job|mission|objective|purpose|instructions?|orders?)\\b",
    `\\b(?:here are|these are) (?:your|the) (?:real|actual|true|new) ${INSTRUCTIONS}\\b`,
  ),
  // A persona without limits.
  of(
    "jailbreak",
    0.5,
    "\\b(?:you are|you're|act|behave|respond|answer|operate)\\s(?:now\\s)?(?:as\\s|in\\s)?(?:an?\\s)?(?:unrestricted|unfiltered|uncensored|jailbroken)\\b",
    "\\b(?:you are|you're|act|respond|answer|operate)\\s(?:now\\s)?(?:as|in)\\s(?:an?\\s)?(?:developer|god|jailbreak|sudo) mode\\b",
    "\\bdo anything now\\b",
    `\\b(?:developer|god|jailbreak|debug|admin|maintenance) mode\\s(?:is\\s)?(?:now\\s)?(?:enabled|activated|engaged|active|on)\\b[^\\n]{0,60}?\\b(?:you (?:can|may|must|will|are)|(?:answer|respond|reply|comply)\\b|(?:no|without) (?:restrictions?|filters?|limits?|safety))`,
    `\\b(?:pretend|imagine|act as if|act as though|behave as if)\\s(?:that\\s)?(?:you|there)\\s(?:have|are|were|had)\\s(?:no|not bound by|without|free of|free from)\\b[^.!?\\n]{0,30}?(?:restriction|limit|rule|filter|guideline|polic|constraint)`,
    "\\byou (?:are|have)(?: now)? (?:no longer bound by|not bound by|freed? (?:of|from)|exempt from)\\b[^.!?\\n]{0,30}?(?:restriction|rule|guideline|filter|polic|limitation|instruction|constraint)",
    "\\byou have no (?:content|ethical|moral|safety) (?:restriction|rule|guideline|filter|polic|limit)",
  ),
  // What the model itself was told.
  of(
    "prompt-leak",
    0.45,
    "\\b(?:repeat|print|output|reveal|show|display|tell me|give me|recite|write out|dump|leak|return|translate|quote)\\s(?:(?:me|us|all|of|the|your|exact|full|entire|complete|hidden|initial|original|internal|own)\\s){0,5}(?:system (?:prompt|message)s?|pre-?prompt|(?:hidden|initial|original|internal|developer|system) instructions?)\\b",
    "\\b(?:repeat|print|output|recite|write|reveal)\\s(?:out\\s|all\\s|of\\s|the\\s){0,3}(?:words|text|everything|lines|content|sentences|messages)\\s(?:that (?:is|are|stands?) )?(?:above|before this)\\b",
  ),
  // Kept from people without a word about telling.
  of(
    "secrecy",
    0.45,
    "\\b(?:do not|don't|never)\\s(?:ever\\s)?(?:mention|say|reveal|disclose|talk about|refer to)\\s(?:anything |a word )?(?:about |that |to )?(?:you (?:first|have|had|did|read|need|must|are|were|used|call|sen[dt])|(?:this|the) (?:step|instruction|side ?note|real reason)\\b|it in your (?:answer|reply|response|output|summary))",
    `\\b${USER} (?:does not|doesn't|do not|don't) (?:need|have) to (?:ever )?(?:know|see|be (?:told|informed|made aware|notified|aware)|notice|hear|find out)(?:\\s(?:about|of)\\b|\\s(?:this|that|it)\\b|(?=\\s?[.,;!\\n]|$))`,
    `\\b${USER} (?:must not|must never|mustn't|should not|should never|shouldn't|may not|need not) (?:ever )?(?:know|notice|hear|find out|learn|be (?:told|informed|made aware|notified))(?:\\s(?:about|of)\\b|\\s(?:this|that|it)\\b|(?=\\s?[.,;!\\n]|$))`,
    `\\b(?:no need|not necessary|unnecessary|never necessary) to (?:tell|inform|notify|alert)\\s${USER}\\b`,
    `\\b${USER} (?:gets?|will be|will get|would be|might be|may be|is) (?:very |really |so )?upset\\b|\\b(?:not to|avoid|without|to not) upset(?:ting)? ${USER}\\b`,
    "\\b(?:do (?:this|that|it|so)|act|proceed)\\s(?:silently|quietly|covertly|discreetly|in secret)\\b",
    "\\b(?:send|call|forward|upload|copy|read|post|bcc|run)\\b[^.!?\\n]{0,40}?\\b(?:covertly|in secret)\\b",
  ),
  // Marks of other formats of chats, false ends of what a tool has said, and notices of a system.
  {
    id: "role-marker",
    weight: 0.5,
    pattern: new RegExp(
      [
        "<start_of_turn>\\s{0,3}(?:user|model)\\b|<\\|start\\|>\\s{0,3}(?:system|developer|user|assistant)\\b|<\\|channel\\|>",
        `\\[(?:system|admin|administrator|developer)(?: (?:override|message|notice|prompt|update|instruction|alert)s?)?\\]:?\\s{0,3}${ORDER}|\\[(?:system|admin) override\\]`,
        `\\b(?:system|admin|administrator|developer|security) (?:override|notice|alert|message|directive)\\s?:\\s{0,3}${ORDER}`,
        `^\\s{0,3}#{1,4}\\s{0,3}(?:new )?(?:instructions?|response|input|task)\\s?:\\s{0,3}${ORDER}`,
        `</(?:user_?(?:input|query)|documents?|context|untrusted(?:_\\w{1,20})?|tool_output|search_results|data|user)>\\s{0,3}${ORDER}`,
        "\\bEND OF (?:TOOL |FUNCTION |USER |SEARCH |THE )?(?:OUTPUTS?|RESULTS?|DOCUMENTS?|INPUTS?|CONTEXT|DATA)\\b[^\\w\\n]{0,10}\\s{0,3}(?:new |next )(?:user |system )?(?:query|request|message|task|instructions?|prompt)\\b",
      ].join("|"),
      "im",
    ),
  },
  of("addressed", 0.3, "\\bthis is (?:a|an) (?:official |important |urgent )?(?:message|notice|update|instruction|order) (?:from|by) (?:the |your )?(?:developers?|creators?|administrators?|system|openai|anthropic|google)\\b"),
  // One tool that wants to be the only one.
  of(
    "tool-use",
    0.25,
    "\\bthis (?:tool|function) must (?:always )?be (?:called|used|invoked|run)\\b|\\b(?:always )?prefer this (?:tool|function|server) (?:over|to)\\b|\\bnever use (?:any )?other (?:tools?|functions?|servers?)\\b|\\buse this (?:tool|function) instead of\\b|\\botherwise (?:this|the) (?:tool|function) (?:will not|won't|does not|cannot|can't) (?:work|run)\\b",
  ),
  // One tool that says how others are to be called.
  of(
    "shadowing",
    0.5,
    `\\b(?:when(?:ever)?|if|before|each time|every time)\\b[^.!?\\n]{0,40}?\\b(?:[a-z]{1,30}_[a-z_]{1,40}|tool|function)\\b[^.!?\\n]{0,40}?\\b(?:called|used|invoked|available|present)\\b[^.!?\\n]{0,60}?\\b(?:change|replace|set|modify|redirect|called with|sent with|used with|add)\\b[^.!?\\n]{0,40}?${RECEIVERS}`,
    "\\b(?:send|forward|route|redirect|deliver)\\s(?:all|every|each|any)\\s(?:[a-z]{1,12}\\s)?(?:e-?mails?|messages?|mails?|payments?)\\s(?:to|through|via)\\s[^\\s]{0,60}(?:@|\\+[0-9]|https?:)",
    "\\b(?:affects?|changes?) the behaviou?r of (?:the )?(?:[a-z]{1,30}_[a-z_]{1,40}|[a-z]{1,30} (?:tools?|functions?))\\b",
  ),
  // Orders for later, and for good.
  of(
    "persistence",
    0.4,
    "\\b(?:the next time|as soon as|if|when(?:ever)?) the user (?:says|types|writes|replies|responds|answers|thanks)\\b[^.!?\\n]{0,60}?\\b(?:call|invoke|run|execute|send|delete|forward|upload)\\b",
    "\\b(?:save|store|write|add|record|put)\\b[^.!?\\n]{0,40}?\\b(?:to|in|into) (?:your|the assistant's) (?:long-?term |persistent |permanent )?memor(?:y|ies)\\b",
    "\\b(?:update|change|edit) (?:your|the assistant's) memor(?:y|ies)\\b",
    "\\b(?:remember|follow|apply|obey|keep)\\b[^.!?\\n]{0,40}?\\b(?:in|for|throughout) (?:all|every|each|any) (?:future|later|subsequent|further) (?:conversation|chat|session|answer|response|turn)s?\\b",
  ),
  of(
    "exfiltration",
    0.5,
    `\\b(?:pass|send|put|include|attach|provide|append|paste|supply|submit|post|write)\\b[^!?\\n]{0,40}?\\bcontents? of\\b[^!?\\n]{0,40}?${SECRET_FILES}`,
    `\\b(?:make|send|issue|perform)\\san?\\s(?:get |post |http |https |web )?request to\\shttps?:\\/\\/[^\\s]{1,100}[^!?\\n]{0,40}?\\b(?:with|containing|including|carrying)\\b[^.!?\\n]{0,40}?\\b(?:user's|users'|conversation|history|keys?|tokens?|secrets?|passwords?|everything|contents?)\\b`,
  ),
];
