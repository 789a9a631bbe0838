#include "cli/application.h"

int main(int argument_count, char** arguments) {
  return cairn::cli::run_application(argument_count, arguments);
}
