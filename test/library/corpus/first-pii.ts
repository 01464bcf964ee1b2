import type { Random } from "../../support/random.ts";
import { type Kind, placed } from "./first.ts";
import type { PII_DETECTORS } from "./sample.ts";
import { chars, DIGITS, HEX, LOWER } from "./tokens.ts";

const digits = (random: Random, length: number) => chars(random, DIGITS, length);
const word = (random: Random) => random.pick(["alpha", "kilo", "river", "north", "maple", "delta", "ocean"]);
const number = (random: Random, from: number, to: number) => String(from + random.below(to - from + 1));

function email(random: Random): string {
  const name = random.pick([() => word(random), () => `${word(random)}.${word(random)}`, () => `${word(random)}+${word(random)}`, () => `${word(random)}${digits(random, 3)}`])();
  return `${name}@${random.pick(["", "mail.", "eu."])}${word(random)}.${random.pick(["com", "org", "co.uk", "example", "io", "de"])}`;
}

function notEmail(random: Random): string {
  return random.pick([
    () => `@${word(random)}`,
    () => `@${word(random)}/${word(random)}`,
    () => `${word(random)}@${number(random, 1, 20)}.${number(random, 0, 20)}.${number(random, 0, 9)}`,
    () => `${word(random)}@localhost`,
    () => `icon@2x.png`,
    () => `@${word(random)}({ kind: "x" })`,
    () => `${word(random)} @ ${word(random)}.T`,
  ])();
}

function phone(random: Random): string {
  return random.pick([
    () => `+1${number(random, 2, 9)}${digits(random, 2)}${number(random, 2, 9)}${digits(random, 6)}`,
    () => `+1 (${number(random, 200, 989)}) ${number(random, 200, 989)}-${digits(random, 4)}`,
    () => `(${number(random, 200, 989)}) ${number(random, 200, 989)}-${digits(random, 4)}`,
    () => `${number(random, 200, 989)}-${number(random, 200, 989)}-${digits(random, 4)}`,
    () => `+44 20 ${digits(random, 4)} ${digits(random, 4)}`,
    () => `020 ${digits(random, 4)} ${digits(random, 4)}`,
    () => `+49 30 ${number(random, 1, 9)}${digits(random, 6)}`,
    () => `+33 6 ${digits(random, 2)} ${digits(random, 2)} ${digits(random, 2)} ${digits(random, 2)}`,
    () => `06 ${digits(random, 2)} ${digits(random, 2)} ${digits(random, 2)} ${digits(random, 2)}`,
    () => `+91 ${number(random, 70000, 99999)} ${digits(random, 5)}`,
    () => `+81-3-${digits(random, 4)}-${digits(random, 4)}`,
  ])();
}

function notPhone(random: Random): string {
  return random.pick([
    () => `20${number(random, 10, 29)}-0${number(random, 1, 9)}-1${digits(random, 1)}`,
    () => `1${digits(random, 9)}`,
    () => `${number(random, 1, 20)}.${number(random, 0, 30)}.${number(random, 0, 9)}`,
    () => `${number(random, 1, 9)},${digits(random, 3)},${digits(random, 3)}`,
    () => `1${digits(random, 1)}:0${digits(random, 1)}:1${digits(random, 1)}`,
    () => `order ${digits(random, 6)}`,
    () => `${number(random, 100, 999)} x ${number(random, 100, 999)} px`,
    () => `ISBN 978-3-16-148410-0`,
    () => `${chars(random, HEX, 8)}-${chars(random, HEX, 4)}-4${chars(random, HEX, 3)}-a${chars(random, HEX, 3)}-${chars(random, HEX, 12)}`,
  ])();
}

function luhnDigit(payload: string): number {
  const sum = [...payload].reverse().reduce((total, character, index) => {
    const digit = Number(character) * (index % 2 === 0 ? 2 : 1);
    return total + (digit > 9 ? digit - 9 : digit);
  }, 0);
  return (10 - (sum % 10)) % 10;
}

function cardDigits(random: Random, isRight: boolean): string {
  const [prefix, length] = random.pick([["4", 16], ["51", 16], ["55", 16], ["2223", 16], ["34", 15], ["37", 15], ["6011", 16], ["3530", 16], ["36", 14], ["62", 16]] as const);
  const payload = prefix + digits(random, length - prefix.length - 1);
  return `${payload}${(luhnDigit(payload) + (isRight ? 0 : 1 + random.below(9))) % 10}`;
}

function card(random: Random): string {
  const all = cardDigits(random, true);
  const separator = random.pick(["", "", " ", "-"]);
  return (all.length === 16 ? [all.slice(0, 4), all.slice(4, 8), all.slice(8, 12), all.slice(12)] : [all.slice(0, 4), all.slice(4, 10), all.slice(10)]).join(separator);
}

const COUNTRIES: readonly (readonly [country: string, bank: number, digits: number])[] = [
  ["DE", 0, 18], ["GB", 4, 14], ["NL", 4, 10], ["FR", 0, 23], ["ES", 0, 20], ["AT", 0, 16], ["BE", 0, 12], ["CH", 0, 17], ["IE", 4, 14], ["SE", 0, 20], ["PL", 0, 24],
];

function iban(random: Random, isRight = true): string {
  const [country, letters, count] = random.pick(COUNTRIES);
  const account = chars(random, LOWER, letters).toUpperCase() + digits(random, count);
  const rest = [...`${account}${country}00`].reduce((sum, character) => {
    const value = Number.parseInt(character, 36);
    return (sum * (value > 9 ? 100 : 10) + value) % 97;
  }, 0);
  const check = String(((98 - rest - 2 + (isRight ? 0 : 1 + random.below(90)) + 97) % 97) + 2).padStart(2, "0");
  const whole = `${country}${check}${account}`;
  return random.below(2) === 0 ? whole : (whole.match(/.{1,4}/g) ?? []).join(" ");
}

function ssn(random: Random): string {
  const area = random.pick([number(random, 100, 665), number(random, 667, 899)]);
  const separator = random.pick(["-", "-", " "]);
  return [area, number(random, 10, 99), number(random, 1000, 9999)].join(separator);
}

function notSsn(random: Random): string {
  return random.pick([
    () => `9${digits(random, 2)}-${number(random, 10, 99)}-${number(random, 1000, 9999)}`,
    () => `000-${number(random, 10, 99)}-${number(random, 1000, 9999)}`,
    () => `666-${number(random, 10, 99)}-${number(random, 1000, 9999)}`,
    () => digits(random, 9),
    () => `${number(random, 10, 31)}-${number(random, 10, 12)}-20${digits(random, 2)}`,
    () => `A${digits(random, 3)}-${digits(random, 2)}-${digits(random, 4)}`,
    () => `${digits(random, 3)}-00-${number(random, 1000, 9999)}`,
  ])();
}

function ip(random: Random): string {
  const group = () => chars(random, HEX.slice(1), 4);
  return random.pick([
    () => Array.from({ length: 4 }, () => number(random, 1, 255)).join("."),
    () => Array.from({ length: 4 }, () => number(random, 1, 255)).join("."),
    () => Array.from({ length: 8 }, group).join(":"),
    () => `2001:db8:${group()}::${number(random, 1, 9)}`,
    () => `fe80::${group()}:${group()}`,
  ])();
}

function notIp(random: Random): string {
  return random.pick([
    () => `v${number(random, 1, 9)}.${number(random, 0, 9)}.${number(random, 0, 9)}.${number(random, 0, 9)}`,
    () => `${number(random, 1, 9)}.${number(random, 0, 9)}.${number(random, 0, 9)}`,
    () => `${number(random, 256, 999)}.${number(random, 0, 9)}.${number(random, 0, 9)}.${number(random, 0, 9)}`,
    () => `1${digits(random, 1)}:0${digits(random, 1)}:1${digits(random, 1)}`,
    () => Array.from({ length: 6 }, () => chars(random, HEX, 2)).join(":"),
    () => `std::${word(random)}`,
    () => `x[${number(random, 1, 9)}::2]`,
  ])();
}

function notIban(random: Random): string {
  return random.pick([() => iban(random, false), () => `${chars(random, LOWER, 2).toUpperCase()}${digits(random, 6)}`, () => `XX${digits(random, 20)}`])();
}

function notCard(random: Random): string {
  return random.pick([() => cardDigits(random, false), () => `17${digits(random, 11)}`, () => digits(random, 8), () => `${digits(random, 4)} ${digits(random, 4)}`])();
}

export const PII: Readonly<Record<(typeof PII_DETECTORS)[number], Kind>> = {
  email: { positive: placed(email, "mail"), negative: placed(notEmail, "ref", false) },
  phone: { positive: placed(phone, "call"), negative: placed(notPhone, "ref", false) },
  card: { positive: placed(card, "paid"), negative: placed(notCard, "ref", false) },
  iban: { positive: placed(iban, "account"), negative: placed(notIban, "ref", false) },
  ssn: { positive: placed(ssn, "ssn"), negative: placed(notSsn, "ref", false) },
  ip: { positive: placed(ip, "peer"), negative: placed(notIp, "ref", false) },
};
