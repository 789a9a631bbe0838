#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "text/huggingface/splitter.h"
#include "text/pattern.h"
#include "text/scratch_pool.h"

namespace cairn::text::huggingface {

namespace {

// The scripts of Unicode 9 but those of Japanese, which count as Han.
constexpr std::string_view kScripts =
    "Adlam Ahom AnatolianHieroglyphs Arabic Armenian Avestan Balinese Bamum BassaVah Batak "
    "Bengali Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid CanadianAboriginal Carian "
    "CaucasianAlbanian Chakma Cham Cherokee Common Coptic Cuneiform Cypriot Cyrillic Deseret "
    "Devanagari Duployan EgyptianHieroglyphs Elbasan Ethiopic Georgian Glagolitic Gothic "
    "Grantha Greek Gujarati Gurmukhi Hangul Hanunoo Hatran Hebrew ImperialAramaic Inherited "
    "InscriptionalPahlavi InscriptionalParthian Javanese Kaithi Kannada KayahLi Kharoshthi "
    "Khmer Khojki Khudawadi Lao Latin Lepcha Limbu LinearA LinearB Lisu Lycian Lydian Mahajani "
    "Malayalam Mandaic Manichaean Marchen MeeteiMayek MendeKikakui MeroiticCursive "
    "MeroiticHieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean NewTaiLue Newa Nko "
    "Ogham OlChiki OldHungarian OldItalic OldNorthArabian OldPermic OldPersian OldSouthArabian "
    "OldTurkic Oriya Osage Osmanya PahawhHmong Palmyrene PauCinHau PhagsPa Phoenician "
    "PsalterPahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham SignWriting "
    "Sinhala SoraSompeng Sundanese SylotiNagri Syriac Tagalog Tagbanwa TaiLe TaiTham TaiViet "
    "Takri Tamil Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Ugaritic Vai WarangCiti Yi";

// Assigned later, up to Unicode 14: of no script then. First and last code points.
constexpr std::string_view kNewer =
    "560-560 588-588 5EF-5EF 61D-61D 7FD-7FF 860-89F 8B5-8B5 8BE-8D3 9FC-9FE A76-A76 AFA-AFF "
    "B55-B55 C04-C04 C3C-C3C C5D-C5D C77-C77 C84-C84 CDD-CDD D00-D00 D04-D04 D3B-D3C D81-D81 "
    "E86-E86 E89-E89 E8C-E8C E8E-E93 E98-E98 EA0-EA0 EA8-EA9 EAC-EAC EBA-EBA 170D-170D "
    "1715-171F 180F-180F 1878-1878 1ABF-1ACE 1B4C-1B4C 1B7D-1B7E 1C90-1CBF 1CF7-1CF7 1CFA-1CFA "
    "1DF6-1DFA 20BF-20C0 23FF-23FF 2B97-2B97 2BBA-2BBC 2BC9-2BC9 2BD2-2BEB 2BF0-2BFF 2C2F-2C2F "
    "2C5F-2C5F 2E45-2E5D 312E-312F 31BB-31BF 32FF-32FF 4DB6-4DBF 9FD6-9FFF A7AF-A7AF A7B8-A7F6 "
    "A82C-A82C A8FE-A8FF AB66-AB6B FBC2-FBC2 FD40-FD4F FDCF-FDCF FDFE-FDFF 1019C-1019C "
    "1032D-1032F 10570-105BC 10780-107BA 10A34-10A35 10A48-10A48 10D00-10D39 10E80-10FF6 "
    "11070-11075 110C2-110CD 11144-11147 111CE-111CF 1133B-1133B 1145A-1145A 1145E-11461 "
    "116B8-116B9 1171A-1171A 11740-1183B 11900-11ABF 11D00-11FFF 12F90-12FF2 13430-13438 "
    "16A70-16AC9 16E40-16E9A 16F45-16F4F 16F7F-16F87 16FE1-16FF1 187ED-187F7 18AF3-1AFFE "
    "1B002-1B2FB 1CF00-1CFC3 1D1E9-1D1EA 1D2E0-1D2F3 1D372-1D378 1DF00-1DF1E 1E100-1E7FE "
    "1E94B-1E94B 1EC71-1ED3D 1F10D-1F10F 1F12F-1F12F 1F16C-1F16F 1F1AD-1F1AD 1F260-1F265 "
    "1F6D3-1F6DF 1F6F7-1F6FC 1F7D5-1F7F0 1F8B0-1F90F 1F91F-1F91F 1F928-1F92F 1F931-1F932 "
    "1F93F-1F93F 1F94C-1F94F 1F95F-1F97F 1F992-1F9BF 1F9C1-1FBF9 2A6D7-2A6DF 2B735-2B738 "
    "2CEB0-2EBE0 30000-3134A";

template <class Visit>
void for_each_word(std::string_view list, const Visit& visit) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    visit(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

/// One character of a script. Some have moved since.
std::string member_of(std::string_view script) {
  const auto member = [&](std::string_view moved_here) {
    return fmt::format(R"((?:(?!(?&moved))\p{{sc:{}}}|[{}]))", script, moved_here);
  };
  if (script == "Common") return member(R"(\x{589}\x{61C})");
  if (script == "Devanagari") return member(R"(\x{953}\x{954})");
  return fmt::format(R"((?:(?!(?&moved))\p{{sc:{}}}))", script);
}

/// Stretches of one script, with the blanks and characters of no script that follow.
std::string script_expression() {
  std::string any = R"( \p{sc:Unknown})";
  for_each_word(kNewer, [&](std::string_view range) {
    const std::size_t dash = range.find('-');
    any += fmt::format(R"(\x{{{}}}-\x{{{}}})", range.substr(0, dash), range.substr(dash + 1));
  });
  const std::string_view moved = R"(\x{589}\x{61C}\x{953}\x{954}\x{30FC})";
  const std::string_view han = R"([\p{sc:Han}\p{sc:Hiragana}\p{sc:Katakana}\x{30FC}])";
  std::string scripts = fmt::format("{}(?:{}|(?&any))*+", han, han);
  for_each_word(kScripts, [&](std::string_view name) {
    const std::string member = member_of(name);
    scripts += fmt::format("|{}(?:{}|(?&any))*+", member, member);
  });
  return fmt::format("(?(DEFINE)(?<any>[{}])(?<moved>[{}]))(?!(?&any))(?:{})", any, moved, scripts);
}

class ScriptSplitter final : public Splitter {
 public:
  void apply(PreTokenized& text) const override {
    const auto lease = scratches_.borrow();
    text.cut([&](std::string_view whole, std::uint32_t begin, std::vector<Split>& splits) {
      std::size_t from = 0;
      while (const auto match = pattern_.find(whole, from, *lease)) {
        from = match->end;
        splits.push_back({begin + static_cast<std::uint32_t>(match->begin),
                          begin + static_cast<std::uint32_t>(from), TokenId(-1)});
      }
    });
  }

 private:
  Pattern pattern_{script_expression()};
  mutable ScratchPool<PatternScratch> scratches_;
};

}  // namespace

std::unique_ptr<Splitter> make_script_splitter() {
  return std::make_unique<ScriptSplitter>();
}

}  // namespace cairn::text::huggingface
