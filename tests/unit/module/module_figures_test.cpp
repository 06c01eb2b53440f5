// SPDX-License-Identifier: Apache-2.0
#include "agents/module/module_figures.h"

#include "tests/support/test_program.h"

namespace module_figures_test {

using namespace divisi;
using namespace divisi::module;

/// Tests the Prometheus metrics of a module.
class ModuleFiguresTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void metrics_count_observations_and_outcomes_of_advice() {
        ModuleFigures module;
        module.module = "link-trend";
        module.version = "1-holt";
        module.connected = true;
        module.observations = 30;
        module.advice = 4;
        module.outcomes[control::AdviceOutcome::taken] = 3;
        module.routes = 2;
        module.links = 6;
        const std::string text = "\n" + figures_of(module).text();
        for (const std::string line :
             {"divisi_module_info{module=\"link-trend\",version=\"1-holt\"} 1",
              "divisi_module_connected{module=\"link-trend\"} 1", "divisi_module_advises{module=\"link-trend\"} 0",
              "divisi_module_routes{module=\"link-trend\"} 2", "divisi_module_links{module=\"link-trend\"} 6",
              "divisi_module_observations_total{module=\"link-trend\"} 30",
              "divisi_module_advice_total{module=\"link-trend\"} 4",
              "divisi_module_echoes_total{module=\"link-trend\",outcome=\"taken\"} 3",
              "divisi_module_echoes_total{module=\"link-trend\",outcome=\"refused\"} 0"})
            QVERIFY2(text.find("\n" + line + "\n") != std::string::npos, line.c_str());
    }
};

DIVISI_TEST(ModuleFiguresTest)

}  // namespace module_figures_test

#include "module_figures_test.moc"
