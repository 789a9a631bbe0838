#include "text/jinja/symbols.h"

namespace cairn::text::jinja {

using ast::Load;
using ast::Reference;

Symbols::Symbols(Symbols* parent, ast::Function& function, ast::Scope& scope)
    : parent_(parent), function_(function), scope_(scope) {}

std::optional<Reference> Symbols::find(std::string_view name) const {
  std::uint32_t hops = 0;
  for (const Symbols* symbols = this; symbols; symbols = symbols->parent_) {
    if (const auto at = symbols->slots_.find(name); at != symbols->slots_.end()) {
      return Reference{hops, at->second};
    }
    if (symbols->parent_ && &symbols->parent_->function_ != &symbols->function_) ++hops;
  }
  return std::nullopt;
}

std::uint32_t Symbols::add_slot(const Text& name) {
  const auto [at, is_new] = slots_.try_emplace(std::string(name.bytes()), function_.slot_count);
  if (is_new) ++function_.slot_count;
  return at->second;
}

void Symbols::set_load(std::uint32_t slot, const Text& name, Load::Kind kind) {
  Load load{kind, slot, {}, name};
  if (const auto outer = parent_ ? parent_->find(name.bytes()) : std::nullopt) {
    load.kind = Load::Kind::alias;
    load.source = *outer;
    if (&parent_->function_ != &function_) ++load.source.hops;
  }
  const auto [at, is_new] = load_of_.try_emplace(slot, scope_.loads.size());
  if (is_new) {
    scope_.loads.push_back(std::move(load));
  } else {
    scope_.loads[at->second] = std::move(load);
  }
}

void Symbols::load(const Text& name) {
  if (!find(name.bytes())) set_load(add_slot(name), name, Load::Kind::resolve);
}

void Symbols::store(const Text& name, bool is_conditional) {
  if (!stores_.insert(std::string(name.bytes())).second) return;
  const bool is_known = slots_.contains(name.bytes());
  if (is_known && !is_conditional) return;
  set_load(add_slot(name), name, is_conditional ? Load::Kind::resolve : Load::Kind::undefined);
}

void Symbols::declare(const Text& name) {
  stores_.insert(std::string(name.bytes()));
  add_slot(name);
}

}  // namespace cairn::text::jinja
