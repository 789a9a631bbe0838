#include "cli/batch_journal.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"

namespace cairn::cli {
namespace {

class BatchJournalTest : public testing::Test {
 protected:
  BatchJournalTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~BatchJournalTest() override { std::filesystem::remove_all(folder_); }

  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      (std::string("cairn_journal_") +
       testing::UnitTest::GetInstance()->current_test_info()->name());
  const std::string output_ = (folder_ / "out.jsonl").string();
  const std::string journal_ = output_ + ".journal";
};

TEST_F(BatchJournalTest, SortsWhatCameInAnyOrder) {
  BatchJournal journal(output_, 1);
  journal.add(3, "three");
  journal.add(1, "one");
  journal.add(20, "");
  EXPECT_TRUE(journal.has(1));
  EXPECT_FALSE(journal.has(2));
  journal.finish();
  EXPECT_EQ(read(output_), "one\nthree\n\n");
  EXPECT_FALSE(std::filesystem::exists(journal_));
}

TEST_F(BatchJournalTest, GoesOnAfterACutAtAnyByte) {
  std::string whole;
  {
    BatchJournal journal(output_, 7);
    journal.add(2, "{\"a\": \"two\"}");
    journal.add(1, "one");
    whole = read(journal_);
  }
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    std::ofstream(journal_, std::ios::binary | std::ios::trunc) << whole.substr(0, size);
    BatchJournal journal(output_, 7);
    EXPECT_EQ(journal.has(1), size == whole.size()) << size;
    if (!journal.has(2)) journal.add(2, "{\"a\": \"two\"}");
    if (!journal.has(1)) journal.add(1, "one");
    journal.finish();
    ASSERT_EQ(read(output_), "one\n{\"a\": \"two\"}\n") << size;
  }
}

TEST_F(BatchJournalTest, AnothersAnswersAreLeftAlone) {
  {
    BatchJournal journal(output_, 7);
    journal.add(1, "one");
  }
  EXPECT_THROW(BatchJournal(output_, 8), Error);
  EXPECT_TRUE(BatchJournal(output_, 7).has(1));
}

TEST_F(BatchJournalTest, AJournalWithoutAnswersIsBegunAnew) {
  { const BatchJournal journal(output_, 7); }
  BatchJournal journal(output_, 8);
  journal.add(1, "one");
  journal.finish();
  EXPECT_EQ(read(output_), "one\n");
}

TEST_F(BatchJournalTest, AFileThatIsNoJournalIsLeftAlone) {
  std::ofstream(journal_) << "my notes\n";
  EXPECT_THROW(BatchJournal(output_, 7), Error);
  EXPECT_EQ(read(journal_), "my notes\n");
}

}  // namespace
}  // namespace cairn::cli
