# SPDX-License-Identifier: Apache-2.0
"""JSON against the schemas of docs/schema: the part of JSON Schema 2020-12 that these use, and nothing unknown to it."""
import functools
import json
import os

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "docs", "schema")
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
NOTES = {"$schema", "$id", "$defs", "title", "description"}


@functools.lru_cache(maxsize=None)
def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return json.load(file)


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def resolve(reference):
    name, _, path = reference.partition("#/")
    rule = read(name)
    for part in path.split("/"):
        rule = rule[part]
    return rule


def faults(value, rule, at="", known_only=False):
    """What is wrong, in words. `known_only`: a key that the schema does not name is wrong too."""
    if "$ref" in rule:
        rule = resolve(rule["$ref"])
    unknown = set(rule) - NOTES - {"type", "required", "properties", "additionalProperties", "items", "enum", "const", "anyOf"}
    assert not unknown, "keywords that nothing checks: %s" % unknown
    types = rule.get("type", [])
    if types and not any(is_type(value, name) for name in ([types] if isinstance(types, str) else types)):
        return ["%s: %.60r is not %s" % (at, value, types)]
    if "const" in rule and value != rule["const"] or "enum" in rule and value not in rule["enum"]:
        return ["%s: %.60r is not %s" % (at, value, rule.get("const", rule.get("enum")))]
    out = []
    if "anyOf" in rule and all(faults(value, one, at, known_only) for one in rule["anyOf"]):
        out.append("%s: %.60r is none of %s" % (at, value, rule["anyOf"]))
    if isinstance(value, dict):
        named, others = rule.get("properties", {}), rule.get("additionalProperties")
        out += ["%s: %s is missing" % (at, key) for key in rule.get("required", []) if key not in value]
        for key, one in value.items():
            if key in named:
                out += faults(one, named[key], at + "." + key, known_only)
            elif isinstance(others, dict):
                out += faults(one, others, at + "." + key, known_only)
            elif known_only and (named or others is False):
                out.append("%s.%s is not in the schema" % (at, key))
    if isinstance(value, list) and "items" in rule:
        for index, one in enumerate(value):
            out += faults(one, rule["items"], "%s[%d]" % (at, index), known_only)
    return out


def summary_faults(path, known_only=False):
    """Those of a summary.json by the schema that it names."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    name = document["schema"].replace("vernier.", "").replace("/", "-") + ".schema.json"
    return faults(document, read(name), document["schema"], known_only)


def values_lost(path):
    """Values that a reader saw and that nothing else is said of: 0 by the law of every command."""
    with open(path, encoding="utf-8") as file:
        coverage = json.load(file).get("coverage")
    return coverage["seen"] - coverage["compared"] - sum(coverage["set_aside"].values()) - coverage["not_understood"] if coverage else 0
