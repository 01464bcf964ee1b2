import { isObject, ownMember, type JsonObject } from "../base/json.ts";
import type { Node } from "./document.ts";
import { newEvaluated } from "./evaluated.ts";
import { namesOf, objectOf, quote, type Keyword, type KeywordCompiler } from "./keyword.ts";
import { compileCount } from "./keywords-count.ts";
import { patternOf } from "./keywords-scalar.ts";
import { all, apply, applyChild, fail, failAt, isSettled, spend, type Check, type Run } from "./run.ts";

/**
 * Keywords that look at objects. Members are own members only, and one that is `undefined` is absent, as it is on the wire; a
 * member named `constructor` or `__proto__` is a member like any other.
 */
export const OBJECT_KEYWORDS: readonly (readonly [string, KeywordCompiler])[] = [
  ["required", compileRequired],
  ["minProperties", (keyword) => compileCount(keyword, "at least", "member", "members", countMembers)],
  ["maxProperties", (keyword) => compileCount(keyword, "at most", "member", "members", countMembers)],
  ["propertyNames", compilePropertyNames],
  ["properties", compileProperties],
  ["patternProperties", compilePatternProperties],
  ["additionalProperties", compileAdditionalProperties],
  ["dependencies", compileDependencies],
];

export const OBJECT_KEYWORDS_2020_12: readonly (readonly [string, KeywordCompiler])[] = [
  ["dependentRequired", compileDependentRequired],
  ["dependentSchemas", compileDependentSchemas],
];

// Listing the members of a very large object takes far longer than one step each.
const MEMBER_STEPS = 4;

function membersOf(object: JsonObject): string[] {
  return Object.keys(object).filter((member) => object[member] !== undefined);
}

function compileRequired(keyword: Keyword): Check {
  const { value, at, weigh } = keyword;
  const names = namesOf(keyword, value);
  weigh(names.length);
  return requireAll(names, at, "");
}

function requireAll(names: readonly string[], at: string, condition: string): Check {
  const reasons = names.map((name) => `must have the member ${quote(name)}${condition}`);
  return (value, run) => {
    if (!isObject(value)) return true;
    let fits = true;
    for (let index = 0; index < names.length; index++) {
      // Below names.length, so both lists have one.
      if (ownMember(value, names[index] as string) !== undefined) continue;
      fits = fail(run, at, reasons[index] as string);
      if (isSettled(run)) break;
    }
    return fits;
  };
}

function countMembers(value: unknown, run: Run, at: string): number | undefined {
  if (!isObject(value)) return undefined;
  const { length } = membersOf(value);
  spend(run, length * MEMBER_STEPS, at);
  return length;
}

/** Applies checks to each member; `check` answers undefined for a member that is none of its business. */
function eachMember(value: JsonObject, at: string, run: Run, check: (name: string, member: unknown) => boolean): boolean {
  let fits = true;
  const names = Object.keys(value);
  spend(run, names.length * MEMBER_STEPS, at);
  for (const name of names) {
    const member = value[name];
    if (member === undefined || check(name, member)) continue;
    fits = false;
    if (isSettled(run)) break;
  }
  return fits;
}

function compilePropertyNames(keyword: Keyword): Check {
  const node = keyword.child();
  const { at } = keyword;
  return (value, run) => !isObject(value) || eachMember(value, at, run, (name) => applyChild(node, name, name, run));
}

function compileProperties(keyword: Keyword): Check {
  const names = Object.keys(objectOf(keyword));
  const nodes = names.map((name) => keyword.child(name));
  keyword.weigh(names.length);
  return (value, run) => {
    if (!isObject(value)) return true;
    const { evaluated } = run;
    let fits = true;
    for (let index = 0; index < names.length; index++) {
      // Below names.length, so both lists have one.
      const name = names[index] as string;
      const member = ownMember(value, name);
      if (member === undefined) continue;
      evaluated?.members.add(name);
      if (applyChild(nodes[index] as Node, member, name, run)) continue;
      fits = false;
      if (isSettled(run)) break;
    }
    return fits;
  };
}

function compilePatternProperties(keyword: Keyword): Check {
  const { at } = keyword;
  const rules = Object.keys(objectOf(keyword)).map((source) => ({ pattern: patternOf(source, keyword, source), node: keyword.child(source) }));
  return (value, run) =>
    !isObject(value) ||
    eachMember(value, at, run, (name, member) => {
      let fits = true;
      for (const { pattern, node } of rules) {
        if (!pattern.test(name, run, at)) continue;
        run.evaluated?.members.add(name);
        if (!applyChild(node, member, name, run)) fits = false;
      }
      return fits;
    });
}

function compileAdditionalProperties(keyword: Keyword): Check {
  const node = keyword.child();
  const { at } = keyword;
  const { properties, patternProperties } = keyword.schema;
  const declared = new Set(isObject(properties) ? Object.keys(properties) : []);
  // The neighbour's own compiler has refused bad ones, or will: here they match nothing.
  const patterns = isObject(patternProperties) ? Object.keys(patternProperties).map((source) => patternOf(source, keyword)) : [];
  return (value, run) => {
    if (!isObject(value)) return true;
    const fits = eachMember(value, at, run, (name, member) => {
      if (declared.has(name) || patterns.some((pattern) => pattern.test(name, run, at))) return true;
      return node.schema === false ? failAt(run, name, at, "is not allowed") : applyChild(node, member, name, run);
    });
    if (run.evaluated !== undefined) run.evaluated.allMembers = true;
    return fits;
  };
}

function compileDependentRequired(keyword: Keyword): Check {
  const { at, weigh } = keyword;
  const rules = Object.entries(objectOf(keyword)).map(([name, list]) => {
    const names = namesOf(keyword, list, name);
    weigh(1 + names.length);
    return whenPresent(name, requireAll(names, at, ` beside ${quote(name)}`));
  });
  return all(rules);
}

function compileDependentSchemas(keyword: Keyword): Check {
  const rules = Object.keys(objectOf(keyword)).map((name) => {
    const node = keyword.inPlace(name);
    keyword.weigh(1);
    return whenPresent(name, (value, run) => apply(node, value, run));
  });
  return all(rules);
}

/**
 * Draft-07's mixture of what became `dependentRequired` and `dependentSchemas`. In 2020-12 it is optional, and kept here, as
 * schemas that name no dialect still use it.
 */
function compileDependencies(keyword: Keyword): Check {
  const { at, weigh } = keyword;
  const rules = Object.entries(objectOf(keyword)).map(([name, dependency]) => {
    weigh(1);
    if (!Array.isArray(dependency)) {
      const node = keyword.inPlace(name);
      return whenPresent(name, (value, run) => apply(node, value, run));
    }
    const names = namesOf(keyword, dependency, name);
    weigh(names.length);
    return whenPresent(name, requireAll(names, at, ` beside ${quote(name)}`));
  });
  return all(rules);
}

function whenPresent(name: string, check: Check): Check {
  return (value, run) => !isObject(value) || ownMember(value, name) === undefined || check(value, run);
}

/** `unevaluatedProperties` comes last in its schema, when its neighbours have left their notes. */
export function compileUnevaluatedProperties(keyword: Keyword): Check {
  const node = keyword.child();
  const { at } = keyword;
  return (value, run) => {
    if (!isObject(value)) return true;
    const evaluated = run.evaluated ?? newEvaluated();
    if (evaluated.allMembers) return true;
    const fits = eachMember(value, at, run, (name, member) => {
      if (evaluated.members.has(name)) return true;
      return node.schema === false ? failAt(run, name, at, "is not allowed") : applyChild(node, member, name, run);
    });
    evaluated.allMembers = true;
    return fits;
  };
}
